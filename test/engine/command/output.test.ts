import { expect, test } from 'vitest'
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

test('output without end leaves the worker its turns, and ends when it is told to', async () => {
  let lines = 0
  let inThisTurn = 0
  let mostInATurn = 0
  const abort = new AbortController()
  const count = () => {
    lines += 1
    inThisTurn += 1
    mostInATurn = Math.max(mostInATurn, inThisTurn)
    if (lines === 5_000_000) abort.abort()
  }
  const newTurn = () => {
    inThisTurn = 0
    turn = setImmediate(newTurn)
  }
  let turn = setImmediate(newTurn)
  const command = new Running('yes', [], { signal: abort.signal, onOutput: count })
  command.lines.push = () => 0
  expect(await command.end).toMatchObject({ killedBy: 'SIGTERM' })
  clearImmediate(turn)
  // Two chunks of 64 KiB, two bytes a line, and as much again for what waited in the stream.
  expect(mostInATurn).toBeLessThanOrEqual(4 * 32 * 1024)
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
