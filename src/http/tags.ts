/** What the calls of the API are about, in one line each. */
export const tags: Readonly<Record<string, string>> = {
  Overview: 'The tree of names with counts, and how deep the queues are.',
  Operations: 'The same done to many jobs, in the background.',
  Jobs: 'Pieces of work: submitted, run, looked at, changed while they wait, cancelled, run again.',
  Templates: 'What jobs are made of, again and again.',
  Schedules: 'What makes jobs by time.',
  Groups: 'Jobs that belong together: all at once, or one after the other.',
  Slots: 'Values to come that no job gives: somebody fills them, or time does.',
  Endpoints: 'Where running jobs are found.',
  Gates: 'What keeps jobs from starting: limits and pauses.',
  Paths: 'What holds for all that lies below a path: defaults of jobs, and how long things are kept.',
  Workers: 'Who runs jobs.',
  Answers: 'Ends of jobs that come from outside.',
  Shards: 'Jobs that are split into tasks, and how far those are.',
  Webhooks: 'Whom to tell of what happens, and what became of it.',
  Keys: 'Who may do what.',
}
