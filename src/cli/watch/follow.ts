import { setTimeout as sleep } from 'node:timers/promises'
import { LiveLines, type Screen } from '../terminal.ts'
import type { Look, Watched } from './watched.ts'
import { changeText, watchedLines } from './watched-text.ts'

/** How often is looked: often enough for the eye, seldom enough for the server. */
const lookMs = 250

interface FollowOptions {
  readonly screen: Screen
  readonly signal: AbortSignal
  /** Whether the lines stay when all is over. */
  readonly keep: boolean
  /** Gets what changed, where there is no terminal to draw on. */
  readonly onChange?: (thing: Watched) => void
}

/** Shows how far things are until all of them are over, or the signal aborts. */
export async function follow(
  looks: readonly Look[],
  { screen, signal, keep, onChange }: FollowOptions,
): Promise<readonly Watched[]> {
  const lines = new LiveLines(screen)
  const told = new Map<number, string>()
  try {
    for (;;) {
      const began = performance.now()
      const things = (await Promise.all(looks.map((look) => look()))).filter((each) => each !== null)
      lines.draw(watchedLines(things, screen))
      if (!screen.isTerminal && onChange !== undefined) tellChanges(things, told, onChange)
      if (things.every(({ isOver }) => isOver) || signal.aborted) return things
      // Where a look takes long there is much to look at: then it is done less often.
      await sleep(Math.max(lookMs, 3 * (performance.now() - began)), undefined, { signal }).catch(() => {})
    }
  } finally {
    lines.end({ keep })
  }
}

/** A change is another state, or a tenth more done. */
function tellChanges(things: readonly Watched[], told: Map<number, string>, onChange: (thing: Watched) => void): void {
  for (const [i, thing] of things.entries()) {
    const { status, progress } = thing
    const tenth = progress === null || !progress.total ? '' : Math.floor((progress.done * 10) / progress.total)
    const now = `${status} ${tenth}`
    if (told.get(i) !== now) onChange(thing)
    told.set(i, now)
  }
}

export { changeText }
