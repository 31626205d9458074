import { exitCodes } from '../exit.ts'
import { LiveLines, type Terminal } from '../terminal.ts'

/** How long a second Ctrl-C waits for jobs to be given back: without it they would be found lost, and charged for it. */
const giveBackMs = 500

interface Draining {
  /** How long jobs may go on after Ctrl-C before they are given back. */
  readonly graceMs: number
  readonly worker: { readonly heldCount: number; stop(graceMs: number): Promise<void>; giveBack(): Promise<void> }
  readonly terminal: Terminal
}

/** Waits for Ctrl-C, then until nothing runs any more, which it shows. A second Ctrl-C ends the process at once. */
export async function drained(
  { worker, graceMs, terminal: { out } }: Draining,
  close: () => Promise<void>,
): Promise<void> {
  await interrupt()
  const onSecond = () => {
    out.write(
      `${out.isTerminal ? '\u001b[?25h' : ''}\n  Stopped at once. What ran is started again, later or elsewhere.\n`,
    )
    const exit = () => process.exit(exitCodes.interrupted.code)
    setTimeout(exit, giveBackMs)
    worker.giveBack().then(exit, exit)
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onSecond)
  out.write('\n  Stopping. Ctrl-C again stops at once.\n')
  const lines = new LiveLines(out)
  const until = performance.now() + graceMs
  const draw = () => {
    const seconds = Math.max(0, Math.ceil((until - performance.now()) / 1_000))
    const count = worker.heldCount
    lines.draw(
      count === 0
        ? []
        : [`  ${count} ${count === 1 ? 'job is' : 'jobs are'} running and may finish within ${seconds} s …`],
    )
  }
  draw()
  const timer = setInterval(draw, 200)
  await worker.stop(graceMs)
  clearInterval(timer)
  lines.end({ keep: false })
  await close()
  out.write('  Stopped. Everything is there at the next start.\n')
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSecond)
}

function interrupt(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
      resolve()
    }
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, stop)
  })
}
