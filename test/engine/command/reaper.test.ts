import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { reaperPid } from '../../../src/engine/command/reaper-link.ts'
import { isAlive, sh, until } from './running.ts'

const root = join(import.meta.dirname, '../../..')

/** A process of its own that runs scripts as commands, and what it has said so far. */
function worker(...scripts: readonly string[]): { child: ChildProcess; lines: string[] } {
  const program = join(root, 'test/support/processes/run-command.ts')
  const child = spawn(process.execPath, [program, ...scripts], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  })
  const lines: string[] = []
  onTestFinished(() => {
    child.kill('SIGKILL')
    // When the test failed, nobody else ends what the worker left behind.
    for (const line of lines) if (/^\d+$/.test(line) && isAlive(Number(line))) process.kill(Number(line), 'SIGKILL')
  })
  if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(line))
  return { child, lines }
}

describe('a worker that dies', () => {
  // Programs that ignore every polite signal, and have children.
  const stubborn = `trap '' TERM INT HUP; sleep 1000 & echo $!; echo $$; while :; do sleep 1; done`

  test.for(['SIGKILL', 'SIGTERM'] as const)('of %s takes its programs and their children along', async (signal) => {
    const { child, lines } = worker(stubborn, stubborn)
    await until(() => lines.length === 4)
    const pids = lines.map(Number)
    expect(pids.filter(isAlive)).toEqual(pids)
    child.kill(signal)
    await until(() => !pids.some(isAlive))
  })

  test('after its reaper takes along what was started before the next one', async () => {
    const { child, lines } = worker(stubborn, 'exit 0')
    await until(() => lines.length === 3)
    const first = reaperIn(lines)
    process.kill(first, 'SIGKILL')
    // A command that starts before the worker has seen the death does not replace the reaper yet.
    while (Number.isNaN(reaperIn(lines)) || reaperIn(lines) === first) {
      const heard = lines.length
      child.kill('SIGUSR2')
      await until(() => lines.length > heard)
    }
    const pids = lines.filter((line) => /^\d+$/.test(line)).map(Number)
    expect(pids.filter(isAlive)).toHaveLength(2)
    child.kill('SIGKILL')
    await until(() => !pids.some(isAlive))
  })
})

test('a worker that has nothing else to do ends by itself, and its reaper with it', async () => {
  const { child, lines } = worker('echo one', 'sleep 1000 & exit 2')
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  expect(lines).toContain('one')
  await until(() => !isAlive(reaperIn(lines)))
})

/** The reaper that the worker named last. */
function reaperIn(lines: readonly string[]): number {
  return Number(lines.findLast((line) => line.startsWith('reaper '))?.slice('reaper '.length))
}

describe('the reaper', () => {
  test('is one for all commands, and not before the first', async () => {
    await sh('exit 0').end
    const first = reaperPid()
    await Promise.all([sh('exit 0').end, sh('exit 0').end])
    expect(reaperPid()).toBe(first)
    expect(isAlive(Number(first))).toBe(true)
  })

  test('is replaced when it died', async () => {
    await sh('exit 0').end
    const first = Number(reaperPid())
    process.kill(first, 'SIGKILL')
    await until(() => reaperPid() === undefined)
    expect((await sh('exit 6').end).exitCode).toBe(6)
    expect(isAlive(Number(reaperPid()))).toBe(true)
    expect(reaperPid()).not.toBe(first)
  })
})

describe('the program of the reaper', () => {
  const start = () => {
    const child = spawn(process.execPath, [join(root, 'src/engine/command/reaper.ts')], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env: {},
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }

  /** A process in a group of its own. */
  const sleeper = () => {
    const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    return { child, pid: Number(child.pid), ended: once(child, 'exit') }
  }

  test('kills what is listed at the end of its input, and nothing else', async () => {
    const [listed, taken, half, unheard] = [sleeper(), sleeper(), sleeper(), sleeper()]
    const reaper = start()
    reaper.stdin?.write(
      `+${listed.pid}\n+${taken.pid}\n-${taken.pid}\n+0\n+1\n+-1\n+x\n\n*${unheard.pid}\n+${half.pid}`,
    )
    reaper.stdin?.end()
    expect(await once(reaper, 'exit')).toEqual([0, null])
    expect(await listed.ended).toEqual([null, 'SIGKILL'])
    expect([taken.pid, half.pid, unheard.pid].map(isAlive)).toEqual([true, true, true])
  })

  test('does not listen to the signals that end a worker', async () => {
    const { pid, ended } = sleeper()
    const other = sleeper()
    const reaper = start()
    reaper.stdin?.write(`+${pid}\n`)
    // More than any pipe holds: once it is written, the reaper reads, and it reads only after it has chosen its signals.
    await new Promise((resolve) => reaper.stdin?.write('\n'.repeat(4_000_000), resolve))
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) reaper.kill(signal)
    reaper.stdin?.write(`+${other.pid}\n`)
    reaper.stdin?.end()
    expect(await once(reaper, 'exit')).toEqual([0, null])
    await ended
    await other.ended
  })
})
