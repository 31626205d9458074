import type { Drawing } from './drawing.ts'

/** One job over time: three attempts are three runs, and every step is an event. */
export const attempts: Drawing = {
  title: 'One job, three attempts, three runs: /reports/daily',
  width: 860,
  height: 250,
  boxes: [
    { at: [20, 60], size: [90, 54], lines: ['QUEUED', 'created'], kind: 'quiet' },
    { at: [124, 60], size: [130, 54], lines: ['run 1', 'FAILED: no paper'], kind: 'bad' },
    { at: [268, 60], size: [110, 54], lines: ['QUEUED', 'backoff'], kind: 'quiet' },
    { at: [392, 60], size: [140, 54], lines: ['run 2', 'FAILED: lease_lost'], kind: 'bad' },
    { at: [546, 60], size: [110, 54], lines: ['QUEUED', 'backoff'], kind: 'quiet' },
    { at: [670, 60], size: [160, 54], lines: ['run 3', 'COMPLETED'], kind: 'good' },
  ],
  arrows: [
    {
      path: [
        [20, 150],
        [840, 150],
      ],
    },
    {
      path: [
        [28, 182],
        [28, 152],
      ],
    },
    {
      path: [
        [126, 182],
        [126, 152],
      ],
    },
    {
      path: [
        [254, 206],
        [254, 152],
      ],
    },
    {
      path: [
        [394, 182],
        [394, 152],
      ],
    },
    {
      path: [
        [532, 206],
        [532, 152],
      ],
    },
    {
      path: [
        [672, 182],
        [672, 152],
      ],
    },
    {
      path: [
        [828, 206],
        [828, 152],
      ],
    },
  ],
  notes: [
    { at: [20, 140], text: 'the log' },
    { at: [24, 196], text: 'job.created' },
    { at: [122, 196], text: 'job.run.started' },
    { at: [254, 220], text: 'job.run.failed', anchor: 'middle' },
    { at: [390, 196], text: 'job.run.started' },
    { at: [532, 220], text: 'job.run.failed', anchor: 'middle' },
    { at: [668, 196], text: 'job.run.started' },
    { at: [832, 220], text: 'job.run.completed', anchor: 'end' },
    { at: [20, 240], text: 'Fold the events in their order, and you have the job: verify() does it.' },
  ],
}
