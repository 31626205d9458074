import type { Call } from '../route.ts'
import type { SseStream } from './sse-stream.ts'

/**
 * Now and then sends something, so that both sides notice when the other is gone, and looks whether the client may still
 * see what it is sent.
 */
export function keepAlive(
  stream: SseStream,
  { services, request }: Pick<Call<never, never, never>, 'services' | 'request'>,
  beat: () => Uint8Array,
): void {
  const timer = setInterval(() => {
    services.recheck(request).then(
      // Who has not read the last one needs no other.
      () => stream.isFull || stream.send(beat()),
      () => stream.end(),
    )
  }, services.heartbeatMs)
  stream.over.addEventListener('abort', () => clearInterval(timer), { once: true })
}
