import { type ChildProcess, spawn } from 'node:child_process'
import { listArtifacts } from './artifacts.ts'
import { type CommandEnd, type CommandRun, checkRun } from './command-run.ts'
import { environmentOf } from './environment.ts'
import { notStarted, startError } from './not-started.ts'
import { CommandOutput } from './output.ts'
import { ProcessGroup } from './process-group.ts'
import { listGroup, startReaper } from './reaper-link.ts'

/**
 * Runs a program without a shell and with a clean environment, and settles when the program and the group of its
 * children are gone. When this process dies before, the reaper ends the group.
 */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  checkRun(run)
  await startReaper()
  if (run.signal.aborted) return { exitCode: null, killedBy: null, artifacts: [], stderrTail: '' }

  const { child, group, unlist } = await start(run)
  const output = new CommandOutput(child, run.onOutput, () => group.stop())
  giveInput(child, run.stdin)
  const { exitCode, killedBy } = await exitOf(child, group, run.signal).finally(unlist)
  await output.end()
  return { exitCode, killedBy, artifacts: await listArtifacts(run.artifactsDirectory), stderrTail: output.stderrTail }
}

type Exit = Pick<CommandEnd, 'exitCode' | 'killedBy'>

interface Started {
  readonly child: ChildProcess
  readonly group: ProcessGroup
  readonly unlist: () => void
}

async function start(run: CommandRun): Promise<Started> {
  const child = spawnProgram(run)
  if (child.pid === undefined) throw notStarted(run.program, await startError(child), run.cwd)
  // The program runs, and how it ended is all that matters from here on.
  child.on('error', () => {})
  return { child, group: new ProcessGroup(child.pid, run.killGraceMs), unlist: listGroup(child.pid) }
}

/** Some errors are thrown (the arguments are too long), others come as an event (the program does not exist). */
function spawnProgram(run: CommandRun): ChildProcess {
  try {
    return spawn(run.program, run.args, {
      ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
      env: environmentOf(run),
      shell: false,
      // A group of its own, so that a signal reaches the children as well. On Windows it would only open a window.
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: [run.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
  } catch (error) {
    throw notStarted(run.program, error, run.cwd)
  }
}

/** How the leader ended, once the whole group is gone. */
async function exitOf(child: ChildProcess, group: ProcessGroup, signal: AbortSignal): Promise<Exit> {
  const exited = new Promise<Exit>((resolve) =>
    child.once('exit', (exitCode, killedBy) => resolve({ exitCode, killedBy })),
  )
  const stop = () => group.stop()
  signal.addEventListener('abort', stop, { once: true })
  // A signal that was aborted while the program started does not say so again.
  if (signal.aborted) stop()
  try {
    const exit = await exited
    await group.end()
    return exit
  } finally {
    // One signal may serve many commands, and each listener would hold on to its output.
    signal.removeEventListener('abort', stop)
  }
}

/** A program need not read what it is given; closing its end early (EPIPE) is its right. */
function giveInput(child: ChildProcess, text: string | undefined): void {
  child.stdin?.on('error', () => {})
  child.stdin?.end(text)
}
