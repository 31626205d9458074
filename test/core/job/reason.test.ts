import { describe, expect, it } from 'vitest'
import type { Job } from '../../../src/core/job/job.ts'
import { reasonOf } from '../../../src/core/job/reason.ts'
import type { Needs } from '../../../src/core/slot/needs.ts'

const job = (fields: Partial<Job>) =>
  ({
    scheduledFor: 0,
    attempt: 1,
    replaces: null,
    groupId: null,
    awaits: null,
    shards: null,
    output: null,
    needs: null,
    ...fields,
  }) as Job

const needing = (...ids: readonly string[]): Needs => {
  return { list: ids.map((of) => ({ of, at: null })), onFailure: 'skip' }
}

describe('reasonOf', () => {
  it.each([
    [{ phase: 'pending', replaces: 'x' }, 'waits for the end of x, which it replaces'],
    [{ phase: 'pending' }, 'waits for a gate to open'],
    [{ phase: 'pending', state: 'error' }, 'waits for the end of the jobs that attempt 1 submitted'],
    [{ phase: 'pending', groupId: 'g' }, 'waits for its group g'],
    [{ phase: 'pending', upstream: null, needs: needing('a') }, 'waits for 1 slot'],
    [{ phase: 'pending', upstream: null, needs: needing('a', 'b') }, 'waits for 2 slots'],
    [{ phase: 'pending', upstream: [], needs: needing('a') }, 'waits for a gate to open'],
    [{ phase: 'queued' }, 'ready: waits for a worker that knows its type'],
    [{ phase: 'queued', state: 'initial', scheduledFor: 9_000 }, 'is due at 1970-01-01T00:00:09.000Z'],
    [
      { phase: 'queued', state: 'error', scheduledFor: 9_000 },
      'attempt 1 did not succeed; the next is due at 1970-01-01T00:00:09.000Z',
    ],
    [{ phase: 'running' }, null],
    [{ phase: 'awaiting' }, 'awaits an answer from outside'],
    [{ phase: 'awaiting', awaits: { events: [], failOn: [], seen: [], decided: null } }, 'awaits events from outside'],
    [{ phase: 'awaiting', output: 'x' }, 'waits for the value of x, which is to be its result'],
    [{ phase: 'awaiting', shards: 3 }, 'waits for its 3 tasks'],
    [{ phase: 'final' }, null],
  ] satisfies [Partial<Job>, string | null][])('says why a job in %j does not run', (fields, reason) => {
    expect(reasonOf(job(fields), 5_000)).toBe(reason)
  })
})
