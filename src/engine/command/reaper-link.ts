import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { notStarted, startError } from './not-started.ts'

/** The groups that must not outlive this process. A new reaper is told all of them. */
const groups = new Set<number>()
let reaper: ChildProcess | null = null

/**
 * Starts the reaper unless it runs. Without one, a program could outlive its worker and work beside the next attempt, so
 * no program is started then.
 */
export async function startReaper(): Promise<void> {
  if (reaper) return
  const started = spawnReaper()
  if (started.pid === undefined) throw notStarted(process.execPath, await startError(started))
  started.on('error', () => {})
  started.once('exit', () => {
    if (reaper === started) reaper = null
  })
  // A reaper that has just died answers with EPIPE; its exit is what counts.
  started.stdin?.on('error', () => {})
  // Neither the reaper nor the pipe may keep a worker alive that has nothing else to do.
  started.unref()
  ;(started.stdin as Socket | null)?.unref()
  reaper = started
  for (const group of groups) tell(`+${group}\n`)
}

/**
 * Lists a group until the returned function is called. To be called in the same turn in which the group was started: the
 * line is in the pipe when this returns, so only a death between two statements could leave the group behind.
 */
export function listGroup(group: number): () => void {
  groups.add(group)
  tell(`+${group}\n`)
  return () => {
    groups.delete(group)
    tell(`-${group}\n`)
  }
}

/** The process id of the reaper, for tests. */
export function reaperPid(): number | undefined {
  return reaper?.pid
}

/**
 * In a session of its own, out of reach of Ctrl-C; without the worker's environment, where options for Node or a profiler
 * would be applied to it as well; in the root directory, because it would keep any other from being unmounted.
 */
function spawnReaper(): ChildProcess {
  const program = fileURLToPath(new URL(`./reaper${extname(import.meta.url)}`, import.meta.url))
  return spawn(process.execPath, [program], {
    detached: true,
    windowsHide: true,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}

function tell(line: string): void {
  if (reaper?.stdin?.writable) reaper.stdin.write(line)
}
