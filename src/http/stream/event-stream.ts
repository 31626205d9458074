import { JobName } from '../../core/names/job-name.ts'
import { Scope } from '../../engine/scope/scope.ts'
import type { TailedEntry, TailFilter } from '../../engine/tail/filter.ts'
import type { Call } from '../route.ts'
import { shownEvent } from '../schemas/events.ts'
import { keepAlive } from './heartbeat.ts'
import { frameOf, SseStream } from './sse-stream.ts'

/** What is made of an entry once, for all who are sent it. */
const frames = new WeakMap<TailedEntry, Uint8Array>()

function frameOfEntry(tailed: TailedEntry): Uint8Array {
  const known = frames.get(tailed)
  if (known !== undefined) return known
  const frame = frameOf({ id: tailed.cursor, data: JSON.stringify(shownEvent(tailed.entry)) })
  frames.set(tailed, frame)
  return frame
}

/** How long a client waits before it comes back, in milliseconds. */
const retryMs = '1000'

/** The log as server-sent events, from a cursor on; from its end when there is none. */
export function eventStream(
  call: Pick<Call<never, never, never>, 'services' | 'request'>,
  filter: TailFilter,
  after: string | null | undefined,
): Response {
  const { services, request } = call
  const { tail } = services.stint
  const stream = new SseStream(services.closing, request.signal)
  services.streams.enter(stream)
  let isLive = false
  const follower = {
    filter,
    over: stream.over,
    take: (tailed: TailedEntry) => stream.send(frameOfEntry(tailed)),
    room: () => stream.room(),
    get isFull() {
      return stream.isFull
    },
    onLive: (now: boolean) => {
      isLive = now
    },
  }
  // A part without data is no event, but tells the client from where to go on.
  const begin = (cursor: string | null) => {
    stream.send(frameOf({ retry: retryMs, ...(cursor === null ? {} : { id: cursor }) }))
  }
  keepAlive(stream, call, () => frameOf({ '': 'alive', ...(isLive ? { id: tail.position } : {}) }))
  // Whatever it was: the client comes back and goes on where it was.
  tail.follow(follower, after, begin).catch(() => stream.end())
  return stream.response
}

/** The branches that somebody listens to, of those that are asked for and what the key reaches. */
export function branchesOf(asked: readonly string[] | undefined, path: string | null): readonly Scope[] | undefined {
  const scope = path === null ? null : new Scope(JobName.parse(path))
  if (asked === undefined) return scope === null ? undefined : [scope]
  return asked.map((text) => {
    const name = JobName.parse(text)
    scope?.require(name.toWire(), 'path')
    return new Scope(name)
  })
}
