import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { CommandOutput } from '../../../src/engine/command/output.ts'
import { isAlive, node, Running, sh } from './running.ts'

test('both streams arrive whole and in order, whatever the chunks', async () => {
  const script = `
    const fs = require('node:fs')
    const bytes = Buffer.from(Array.from({ length: 500 }, (_, i) => 'zeile ' + i + ' ü😀').join('\\n'))
    for (let i = 0; i < bytes.length; i += 7) for (const fd of [1, 2]) fs.writeSync(fd, bytes.subarray(i, i + 7))`
  const command = node(script)
  expect((await command.end).exitCode).toBe(0)
  const lines = Array.from({ length: 500 }, (_, i) => `zeile ${i} ü😀`)
  expect(command.texts('stdout')).toEqual(lines)
  expect(command.texts('stderr')).toEqual(lines)
})

test('ten megabytes without a newline arrive in pieces', async () => {
  const command = sh(`head -c 10000000 /dev/zero | tr '\\0' x; printf 'end'`)
  await command.end
  const text = command.texts().join('')
  expect([text.length, text.slice(-4)]).toEqual([10_000_003, 'xend'])
  expect(Math.max(...command.texts().map(({ length }) => length))).toBe(16 * 1024)
})

test('random bytes become text that every store can hold', async () => {
  const command = sh('head -c 1000000 /dev/urandom')
  await command.end
  for (const text of command.texts()) expect(text.isWellFormed() && !text.includes('\0')).toBe(true)
  expect(command.lines.length).toBeGreaterThan(1_000)
})

test('what a program prints just before its end is not lost', async () => {
  for (let i = 0; i < 20; i++) {
    const command = sh('head -c 100000 /dev/zero | tr "\\0" x; echo; echo last >&2; kill -9 $$')
    expect(await command.end).toMatchObject({ killedBy: 'SIGKILL', stderrTail: 'last\n' })
    expect(command.texts().join('').length).toBe(100_000)
  }
})

test('output without end ends when it is told to', async () => {
  const abort = new AbortController()
  let lines = 0
  const count = () => {
    lines += 1
    if (lines === 1_000_000) abort.abort()
  }
  const command = new Running('yes', [], { signal: abort.signal, onOutput: count })
  // What is under test keeps nothing, and neither does the test.
  command.lines.push = () => 0
  expect(await command.end).toMatchObject({ killedBy: 'SIGTERM' })
})

test('a program that always has more to say leaves the worker its turns', async () => {
  const chunks = 50
  let given = 0
  // A pipe in which there is always something: how often a real one runs empty depends on the machine.
  const stdout = new Readable({
    read() {
      given += 1
      this.push(given > chunks ? null : Buffer.from('line\n'))
    },
  })
  const child = Object.assign(new EventEmitter(), { stdout, stderr: null }) as unknown as ChildProcess
  stdout.once('close', () => child.emit('close'))

  let turns = 0
  const newTurn = () => {
    turns += 1
    turn = setImmediate(newTurn)
  }
  let turn = setImmediate(newTurn)
  let lines = 0
  const count = () => {
    lines += 1
  }
  await new CommandOutput(child, count, () => {}).end()
  clearImmediate(turn)
  expect(lines).toBe(chunks)
  expect(turns).toBeGreaterThanOrEqual(chunks / 2)
})

test('a listener that throws stops the program and fails the run with its error', async () => {
  let pid = 0
  const command = sh('echo $$; while :; do echo more; done', {
    onOutput: ({ text }) => {
      pid ||= Number(text)
      if (text === 'more') throw new Error('The log is full.')
    },
  })
  await expect(command.end).rejects.toThrow('The log is full.')
  expect(isAlive(pid)).toBe(false)
  expect(command.texts().filter((text) => text === 'more')).toHaveLength(1)
})

test('a listener that throws at the last line, after the program is gone, fails the run as well', async () => {
  const command = sh('printf last', {
    onOutput: () => {
      throw new Error('The log is full.')
    },
  })
  await expect(command.end).rejects.toThrow('The log is full.')
})
