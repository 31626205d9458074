import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { signalGroup } from '../../../src/engine/command/process-group.ts'
import { endlessMs, isAlive, node, Running, sh, until } from './running.ts'

describe('an aborted run', () => {
  test('ends the program and its children, in any generation', async () => {
    const command = sh(`sh -c 'sleep 1000 & echo $!; wait' & echo $$; wait`)
    await command.said(2)
    const pids = command.texts().map(Number)
    command.abort()
    expect(await command.end).toMatchObject({ exitCode: null, killedBy: 'SIGTERM' })
    expect(pids.filter(isAlive)).toEqual([])
  })

  test('lets the program clean up and say how it ended', async () => {
    const command = sh(`trap 'echo cleaned; exit 5' TERM; echo ready; while :; do sleep 0.01; done`)
    await command.said(1)
    command.abort()
    expect(await command.end).toMatchObject({ exitCode: 5, killedBy: null })
    expect(command.texts()).toEqual(['ready', 'cleaned'])
  })

  test('kills a program that does not listen, with its children', async () => {
    const deaf = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log(process.pid)`
    const command = sh(`trap '' TERM; "$NODE" -e "$DEAF"`, {
      killGraceMs: 100,
      env: { NODE: process.execPath, DEAF: deaf },
    })
    const pid = await command.said(1)
    command.abort()
    expect(await command.end).toMatchObject({ exitCode: null, killedBy: 'SIGKILL' })
    expect(isAlive(pid)).toBe(false)
  })

  test('kills a child that does not listen after a leader that does', async () => {
    const command = sh(`(trap '' TERM; exec sleep 1000) & echo $!; wait`, { killGraceMs: 100 })
    const pid = await command.said(1)
    command.abort()
    expect(await command.end).toMatchObject({ killedBy: 'SIGTERM' })
    expect(isAlive(pid)).toBe(false)
  })

  test('does not settle while the program is there', async () => {
    const command = sh(`trap 'echo no' TERM; echo $$; while :; do sleep 0.01; done`)
    const pid = await command.said(1)
    command.abort()
    await command.said(2)
    expect([command.isSettled, isAlive(pid)]).toEqual([false, true])
    process.kill(pid, 'SIGKILL')
    expect(await command.end).toMatchObject({ killedBy: 'SIGKILL' })
  })

  test('kills a program that somebody has halted', async () => {
    const command = sh('echo $$; kill -STOP $$', { killGraceMs: 50 })
    await command.said(1)
    command.abort()
    expect(await command.end).toMatchObject({ exitCode: null })
  })

  test('does not start what was aborted before', async () => {
    const command = sh('echo started', { signal: AbortSignal.abort() })
    expect(await command.end).toEqual({ exitCode: null, killedBy: null, artifacts: [], stderrTail: '' })
    expect(command.lines).toEqual([])
  })

  test('stops what is aborted in any moment of its start', async () => {
    for (let steps = 0; steps < 20; steps++) {
      const command = new Running('sleep', ['1000'])
      for (let i = 0; i < steps; i++) await Promise.resolve()
      command.abort()
      expect((await command.end).exitCode).toBe(null)
    }
  })

  test('a signal that outlives its commands keeps nothing of them', async () => {
    let listening = 0
    const { signal } = new AbortController()
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listening += 1
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listening -= 1
      remove(...args)
    }
    const command = sh('echo $$', { signal })
    await command.said(1)
    await command.end
    expect(listening).toBe(0)
  })
})

describe('children that a program leaves behind', () => {
  test('are ended when it exits by itself', async () => {
    const command = sh('sleep 1000 & echo $!; exit 3')
    expect((await command.end).exitCode).toBe(3)
    expect(isAlive(Number(command.texts()[0]))).toBe(false)
  })

  test('are killed when they do not listen', async () => {
    const command = sh(`(trap '' TERM; exec sleep 1000) & echo $!; exit 0`, { killGraceMs: 100 })
    expect((await command.end).exitCode).toBe(0)
    expect(isAlive(Number(command.texts()[0]))).toBe(false)
  })

  test('may say a last word', async () => {
    const child = `
      process.on('SIGTERM', () => { console.log('last word'); process.exit() })
      setInterval(() => {}, 1000)
      process.send('ready')`
    const leader = `
      const { spawn } = require('node:child_process')
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: ['ignore', 1, 2, 'ipc'] })
      child.on('message', () => process.exit(0))`
    const command = node(leader)
    expect((await command.end).exitCode).toBe(0)
    expect(command.texts()).toEqual(['last word'])
  })

  test('do not hold the run by its pipes when they left the group', async () => {
    const daemon = `setInterval(() => {}, 1000)`
    const leader = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(daemon)}], {
        detached: true, stdio: ['ignore', 'inherit', 'inherit'],
      })
      child.unref()
      console.log(child.pid)
      process.stdout.write('no newline')`
    const command = node(leader)
    expect((await command.end).exitCode).toBe(0)
    const [pid, last] = command.texts()
    expect(last).toBe('no newline')
    expect(isAlive(Number(pid))).toBe(true)
    process.kill(Number(pid), 'SIGKILL')
  })

  test('do not hold the run by printing for ever when they left the group', async () => {
    const leader = `
      const child = require('node:child_process').spawn('sh', ['-c', 'while :; do echo more; sleep 0.02; done'], {
        detached: true, stdio: ['ignore', 'inherit', 'inherit'],
      })
      child.unref()
      console.log(child.pid)`
    const command = node(leader)
    expect((await command.end).exitCode).toBe(0)
    const heard = command.lines.length
    const pid = Number(command.texts().find((text) => text !== 'more'))
    // Nobody reads its pipe any more, so the next line ends it.
    await until(() => !isAlive(pid))
    expect(command.lines.length).toBe(heard)
  })
})

const hasPerl = spawnSync('perl', ['-v']).status === 0

test.runIf(process.platform === 'linux' && hasPerl)('a group of zombies that nobody collects is over', async () => {
  // A keeper leaves the group; its child joins the group again, ends, and is never waited for.
  const script = `
    my $leader = $$;
    pipe(my $ready, my $tell);
    my $keeper = fork;
    if (!$keeper) {
      setpgrp(0, 0);
      pipe(my $gone, my $open);
      if (!fork) { setpgrp(0, $leader); exit }
      close $open; sysread($gone, my $nothing, 1);
      close STDOUT; close STDERR;
      syswrite($tell, 'x'); sleep 1000; exit;
    }
    sysread($ready, my $byte, 1);
    print "$keeper\n";`
  const command = new Running('perl', ['-e', script])
  expect((await command.end).exitCode).toBe(0)
  const keeper = await command.said(1)
  expect(isAlive(keeper)).toBe(true)
  process.kill(keeper, 'SIGKILL')
})

test('numbers that stand for other than a group are never signalled', () => {
  for (const id of [0, 1, -1, -process.pid, Number.NaN, 1.5, Number.POSITIVE_INFINITY]) {
    expect(signalGroup(id, 0)).toBe(false)
  }
})

test('a group that is gone is nothing to worry about', async () => {
  const command = sh('echo $$', { killGraceMs: endlessMs })
  const pid = await command.said(1)
  await command.end
  expect(signalGroup(pid, 'SIGKILL')).toBe(false)
})
