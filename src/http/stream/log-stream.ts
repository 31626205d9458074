import { setTimeout as sleep } from 'node:timers/promises'
import type { Stint } from '../../engine/stint.ts'
import type { Call } from '../route.ts'
import { keepAlive } from './heartbeat.ts'
import { frameOf, SseStream } from './sse-stream.ts'

/** Lines are saved a few times a second, and nobody tells of it. */
const lookMs = 250

interface Followed {
  readonly job: string
  readonly attempt: number
  readonly afterSeq: number
}

/** The log of an attempt as server-sent events: a line each, and `end` when there will be no more. */
export function logStream(
  call: Pick<Call<never, never, never>, 'services' | 'request' | 'stint'>,
  followed: Followed,
): Response {
  const { services, request, stint } = call
  const stream = new SseStream(services.closing, request.signal)
  services.streams.enter(stream)
  keepAlive(stream, call, () => frameOf({ '': 'alive' }))
  // Whatever it was: the client comes back and goes on where it was.
  sendLines(stint, followed, stream).catch(() => stream.end())
  return stream.response
}

async function sendLines(stint: Stint, { job, attempt, afterSeq }: Followed, stream: SseStream): Promise<void> {
  let seq = afterSeq
  while (!stream.over.aborted) {
    // Asked first: after the end nothing is added, so what is read then is all.
    const isOver = !(await isOpen(stint, job, attempt))
    const { items, cursor } = await stint.runs.log({ job, attempt, afterSeq: seq })
    for (const line of items) {
      await stream.room()
      stream.send(frameOf({ id: String(line.seq), data: JSON.stringify({ ...line, at: new Date(line.at) }) }))
      seq = line.seq
    }
    if (cursor !== null) continue
    if (isOver) {
      stream.send(frameOf({ event: 'end', data: '{}' }))
      return stream.end()
    }
    await sleep(lookMs, undefined, { signal: stream.over }).catch(() => {})
  }
}

async function isOpen(stint: Stint, reference: string, attempt: number): Promise<boolean> {
  const job = await stint.jobs.get(reference)
  return job?.attempt === attempt && job.status === 'RUNNING'
}
