import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const isWindows = process.platform === 'win32'
const timerMaxMs = 2 ** 31 - 1
const firstLookMs = 5
const lastLookMs = 250
const afterKillMs = 2_000

/** A program and all its children that did not leave for a group of their own. Windows knows only the program itself. */
export class ProcessGroup {
  readonly id: number
  readonly #graceMs: number
  #killTimer: NodeJS.Timeout | null = null
  #killedAt: number | null = null
  #isOver = false

  constructor(id: number, graceMs: number) {
    this.id = id
    this.#graceMs = Math.min(graceMs, timerMaxMs)
  }

  /** Asks all to end, once, and ends those that are still there after the grace. */
  stop(): void {
    // Once all are gone, the number may belong to others.
    if (this.#killTimer || this.#isOver) return
    signalGroup(this.id, 'SIGTERM')
    this.#killTimer = setTimeout(() => {
      this.#killedAt = performance.now()
      signalGroup(this.id, 'SIGKILL')
    }, this.#graceMs)
  }

  /**
   * Stops whom the leader left behind, and waits for them, so that the next attempt never works beside the last one.
   * What does not even die of SIGKILL hangs in the kernel, and nobody gains from waiting longer.
   */
  async end(): Promise<void> {
    for (let lookMs = firstLookMs; isGroupAlive(this.id) && !this.#isHopeless(); lookMs *= 2) {
      this.stop()
      if (this.#killedAt !== null) signalGroup(this.id, 'SIGKILL')
      await sleep(Math.min(lookMs, lastLookMs))
    }
    this.#isOver = true
    if (this.#killTimer) clearTimeout(this.#killTimer)
    // Once more for a process whose first thread is over while others go on: it looks like a zombie and is none.
    if (!isWindows) signalGroup(this.id, 'SIGKILL')
  }

  #isHopeless(): boolean {
    return this.#killedAt !== null && performance.now() - this.#killedAt > afterKillMs
  }
}

/**
 * Sends a signal to every process of a group. A group that is gone (ESRCH) or belongs to somebody else by now (EPERM) is
 * nothing to worry about. The number of a group is not given to another process while one member lives; between the end
 * of the last one and our next look it could be, but only if the system went through all its numbers in that moment.
 */
export function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  // 0 would be our own group, -1 every process on the machine, and 1 is the first process.
  if (!Number.isSafeInteger(id) || id <= 1) return false
  try {
    return process.kill(isWindows ? id : -id, signal)
  } catch {
    return false
  }
}

/** Whether somebody in the group can still do something. */
function isGroupAlive(id: number): boolean {
  if (isWindows || !signalGroup(id, 0)) return false
  return process.platform !== 'linux' || !isOnlyZombies(id)
}

/**
 * A worker that is process 1 of a container inherits orphans and never collects them: they stay as zombies, and the
 * group seems to live for ever. Only Linux says which is which; where it does not say, the group counts as alive.
 */
function isOnlyZombies(id: number): boolean {
  const states = processIds()
    .map(readStat)
    .filter((stat) => stat?.group === id)
  return states.length > 0 && states.every((stat) => stat?.state === 'Z' || stat?.state === 'X')
}

function processIds(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** State and group from a line `pid (name) state parent group …`; the name may hold spaces and brackets itself. */
function readStat(pid: string): { state: string | undefined; group: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3)
    return { state, group: Number(group) }
  } catch {
    return null
  }
}
