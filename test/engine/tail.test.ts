import { expect, it, onTestFinished } from 'vitest'
import { overriding } from '../../src/engine/observed-store.ts'
import type { TailedEntry, TailFilter } from '../../src/engine/tail/filter.ts'
import type { Stint } from '../../src/index.ts'
import type { EventsRequest, Store } from '../../src/store/store.ts'
import { gate, onBothStores, until } from '../support/stint.ts'

/** Somebody who follows the log of a Stint until the end of the test. Resolves when it is where all others are. */
async function follow(stint: Stint, filter: TailFilter, after?: string | null): Promise<readonly string[]> {
  const heard: string[] = []
  const [over, live] = [new AbortController(), gate()]
  const follower = {
    filter,
    over: over.signal,
    take: ({ entry }: TailedEntry) => void heard.push(`${entry.eventType} ${entry.jobId}`),
    room: () => Promise.resolve(),
    isFull: false,
    onLive: () => live.resolve(),
  }
  const following = stint.tail.follow(follower, after, () => {})
  onTestFinished(async () => {
    over.abort()
    await following
  })
  await live.promise
  return heard
}

async function submit(stint: Stint): Promise<string> {
  const { id } = await stint.submit('x', null)
  return id.slice(-36)
}

/** A stranger's transaction may hold readers of the log back: until it is over, the end of the log is before what was just written. */
async function shown(stint: Stint, count: number): Promise<void> {
  await until(
    () => stint.events.list(),
    ({ items }) => items.length === count,
  )
}

onBothStores('who follows the log', (setup) => {
  it('lets it be read only for the jobs that somebody listens to, as long as nobody wants more', async () => {
    const asked: EventsRequest[] = []
    const wrap = (store: Store): Store => {
      return overriding(store, {
        events: (request) => {
          asked.push(request)
          return store.events(request)
        },
      })
    }
    const { stint } = await setup({ wrap })
    const [a, b, other] = [await submit(stint), await submit(stint), await submit(stint)]
    await shown(stint, 3)
    const [ofA, ofB] = [await follow(stint, { jobs: [a] }), await follow(stint, { jobs: [b] }, null)]
    for (const id of [other, b, a]) await stint.jobs.cancel(id)
    await until(
      () => [...ofA, ...ofB],
      ({ length }) => length >= 3,
    )
    expect(ofA).toEqual([`job.cancelled ${a}`])
    expect(ofB).toEqual([`job.created ${b}`, `job.cancelled ${b}`])
    expect(asked.at(-1)?.jobs?.toSorted()).toEqual([a, b].toSorted())
    const all = await follow(stint, {})
    const later = await submit(stint)
    await until(
      () => all,
      ({ length }) => length >= 1,
    )
    expect(all).toEqual([`job.created ${later}`])
    expect(asked.at(-1)?.jobs).toBeUndefined()
  })

  it('misses nothing of a job though it comes while the log is read for others', async () => {
    const [isAsked, mayAnswer] = [gate(), gate()]
    let isHeld = false
    const wrap = (store: Store): Store => {
      return overriding(store, {
        events: async (request) => {
          const page = await store.events(request)
          if (isHeld && page.cursor !== request.after) {
            isAsked.resolve()
            await mayAnswer.promise
          }
          return page
        },
      })
    }
    const { stint } = await setup({ wrap })
    const [a, b] = [await submit(stint), await submit(stint)]
    await shown(stint, 2)
    const ofA = await follow(stint, { jobs: [a] })
    isHeld = true
    await stint.jobs.cancel(b)
    await isAsked.promise
    // Where it begins is before what is being read.
    const ofB = await follow(stint, { jobs: [b] })
    const whole = await follow(stint, { types: ['job.cancelled'] })
    isHeld = false
    mayAnswer.resolve()
    await stint.jobs.cancel(a)
    await until(
      () => [...ofA, ...ofB, ...whole],
      ({ length }) => length >= 4,
    )
    expect([ofA, ofB]).toEqual([[`job.cancelled ${a}`], [`job.cancelled ${b}`]])
    expect(whole).toEqual([`job.cancelled ${b}`, `job.cancelled ${a}`])
  })
})
