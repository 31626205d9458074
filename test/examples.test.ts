import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const examples = globSync('*.ts', { cwd: join(root, 'examples') })
  // The demo is a server, which does not end by itself: it has a test of its own.
  .filter((file) => !file.startsWith('jobs.') && file !== 'demo.ts')
  .sort()

/** What the output must hold to show that an example did what it is for; ids and times differ from run to run. */
const shown: Readonly<Record<string, readonly string[]>> = {
  'awaited-events.ts': ['parcel-2: duplicate', 'outcome: COMPLETED'],
  'cancel.ts': ['/examples/patient/child: CANCELLED after 0 attempts', 'cancelled: nobody needs it any more'],
  'command-job.ts': [
    'exit code 0, artifacts: report.txt',
    '| report of 2026-11-16 by /examples/report',
    'exit code 3: oh no',
    '/examples/parts/3 of 4',
  ],
  'endpoints.ts': [
    'dictionary is /books/dictionary',
    'in its namespace: HELLO',
    'in another one: no dictionary here',
    'the dictionary: job_cancelled',
    'after its end: no dictionary here',
  ],
  'fairness.ts': [
    '/small/job ran as number 2',
    '/reports/daily waits: no worker for this path: all that know the type render are bound elsewhere',
    '/reports/daily ran: true',
  ],
  'first-job.ts': ['Hello, Ada!', 'COMPLETED in attempt 1'],
  'groups.ts': [
    '/album/summer: COMPLETED, 12 of 12, 3 at once',
    'report: /album/summer is COMPLETED',
    '/deploy/test waits: waits for its group /rollout to be sealed',
    'Version 7: PARTIAL, 1 done, 1 failed, 1 left out',
    '/deploy/everybody: SKIPPED, group stopped: /deploy/canary failed',
  ],
  'limits.ts': [
    'first in the queue: /examples/urgent',
    '/reports/daily waits: paused at /reports: the printer is being repaired',
    '/reports/daily ran: 7',
  ],
  'map-reduce.ts': [
    'all,2 at,1 sea,4 sees,1 the,3\n',
    '/books/words/count-2 → /books/words/merge (/parts/2)',
    '/books/words/merge → /books/words (result)',
    'runs of the parent: 1',
  ],
  'outside-completion.ts': ['the worker holds 0 jobs', "{ receipt: 'R-99' }", 'not_found'],
  'pipeline.ts': [
    'QUEUED    /reports/daily/publish → /reports/daily (result)',
    'OPEN      /reports/daily/approval → /reports/daily/publish (after)',
    '/reports/daily/publish waits for the value of /reports/daily/approval',
    'slot_filled: The slot has another value already, from Ada.',
    'result: 2 rows',
    'FILLED    /reports/daily/approval',
    'told: nothing came: /reports/someday failed',
    'FAILED    /reports/someday/approval',
    '/reports/someday/publish: upstream: /reports/someday/clean was cancelled',
  ],
  'retention.ts': [
    'five days later: /reports/audits/first /reports/day-3\n',
    'a day later: /reports/audits/first\n',
    'its run: COMPLETED, the report of day 1',
    'nothing is lost or changed: true',
    'what is left is right: true',
    'damaged: segment_damaged',
    'runs after a year: 0',
  ],
  'retries.ts': ['run 2: FAILED attempt 2 fails on purpose', 'attempt 3 succeeded', 'alert got: {"failed"'],
  'schedules.ts': [
    '2026-03-08T07:00:00.000Z',
    'At 02:30 every day, America/New_York time',
    'three fires are done: true',
    'a backfill would run 4: 2026-01-01 2026-01-02 2026-01-03 2026-01-04',
    'again, it would run: 0',
  ],
  'sharded.ts': [
    'the disk cannot read this file',
    'ERROR: 1 failed, the others are done or were stopped',
    'files that were counted again though they were done: 0',
    'every word was counted once: true',
    'a file was counted in slices: true',
  ],
  'templates.ts': [
    'sent: Hello to grace@example.com | sent before: Welcome to ada@example.com',
    'to: String does not match format "email"',
    'The template is archived',
  ],
  'tour.ts': [
    'COMPLETED  attempt 2 succeeded',
    '/tour/sum: 500500, 4 of 4 tasks done',
    '/tour/evening waits for the value of /tour/evening/join, and holds no worker',
    '/tour/evening: Hello, Ada! Hello, Grace!',
    'verify: 0 differences',
  ],
  'transaction.ts': ['rollback: the job does not exist', 'commit: the job exists', 'Hello, commit!'],
}

test.each(examples)('examples/%s runs and shows what it is for', async (example) => {
  const output = await runSource(join(root, 'examples', example), [inject('postgresUrl')])
  expect(shown[example], 'the example is not listed in this test').toBeDefined()
  for (const text of shown[example] ?? []) expect(output).toContain(text)
})

async function runSource(file: string, more: readonly string[]): Promise<string> {
  const args = ['--conditions=stint-source', file, ...more]
  return (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout
}
