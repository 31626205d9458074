import { StintError } from '../../core/errors.ts'
import type { Call } from '../route.ts'
import type { SseStream } from './sse-stream.ts'

/**
 * Now and then sends something, so that both sides notice when the other is gone. And looks, as often as keys are read anew, whether
 * the client may still see what it is sent.
 */
export function keepAlive(
  stream: SseStream,
  { services, request }: Pick<Call<never, never, never>, 'services' | 'request'>,
  beat: () => Uint8Array,
): void {
  // Who has not read the last one needs no other.
  const beats = setInterval(() => stream.isFull || stream.send(beat()), services.heartbeatMs)
  const checks = setInterval(() => {
    services.recheck(request).catch((error: unknown) => {
      // A database that is away says nothing about the key, and sends nothing either.
      if (error instanceof StintError && error.code === 'unauthorized') stream.end()
    })
  }, services.recheckMs)
  const stop = () => {
    clearInterval(beats)
    clearInterval(checks)
  }
  stream.over.addEventListener('abort', stop, { once: true })
}
