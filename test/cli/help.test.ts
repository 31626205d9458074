import pc from 'picocolors'
import { expect, it, test } from 'vitest'
import { flagOf } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands/commands.ts'
import { cut, harmless, harmlessLine, widthOf } from '../../src/cli/output/text.ts'
import { commonOptions, programOf, type Typed } from '../../src/cli/program.ts'
import type { Screen } from '../../src/cli/terminal.ts'
import { count, duration, indexes, instant, pair } from '../../src/cli/values.ts'

/** What the program makes of words, and what it prints. */
function typed(...words: string[]): { readonly typed: Typed | null; readonly out: string; readonly err: string } {
  const text = { out: '', err: '' }
  const screen = (name: 'out' | 'err'): Screen => ({
    write: (more) => {
      text[name] += more
    },
    isTerminal: false,
    colors: pc.createColors(false),
    columns: 100,
    rows: 30,
  })
  let found: Typed | null = null
  const program = programOf(commands, {
    terminal: { out: screen('out'), err: screen('err') },
    version: '1.2.3',
    onTyped: (each) => {
      found = each
    },
  })
  try {
    program.parse(words, { from: 'user' })
  } catch {
    // Help, or something that was not understood: it was printed.
  }
  return { typed: found, ...text }
}

const shown = commands.filter(({ hidden }) => hidden !== true)

test.each(shown.map((command) => [command.name, command] as const))(
  'stint %s has help with examples that it understands',
  (name, command) => {
    const help = typed(...name.split(' '), '--help').out
    expect(help).toContain(`Usage: stint ${name}`)
    for (const [key, spec] of Object.entries({ ...command.options, ...commonOptions(command) })) {
      expect(help).toContain(flagOf(key, spec))
    }
    expect(command.examples.length).toBeGreaterThan(0)
    for (const [example] of command.examples) {
      expect(help).toContain(example)
      if (example.startsWith('stint '))
        expect(typed(...wordsOf(example)), example).toMatchObject({ err: '', typed: { args: {} } })
    }
  },
)

/** The words of a line as a shell takes it apart, without what goes to another program. */
function wordsOf(line: string): readonly string[] {
  const own = line.replace(/^stint /, '').replace(/ (?:\||>>?) .*$/, '')
  return [...own.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  )
}

it('suggests what was meant', () => {
  expect(typed('lsit').err).toMatch(/unknown command 'lsit'\n\(Did you mean list\?\)/)
  expect(typed('schedule', 'previw').err).toContain('Did you mean preview?')
  expect(typed('list', '--lmit', '3').err).toContain('Did you mean --limit?')
  expect(typed('show').err).toContain("missing required argument 'job'")
  expect(typed('--version').out).toBe('1.2.3\n')
})

it('reads durations, times, numbers and pairs, and says what is wrong with others', () => {
  expect([duration.read('90s'), duration.read('2h30m'), duration.read('1.5d'), duration.read('5ms')]).toEqual([
    ...[90_000, 9_000_000, 129_600_000, 5],
  ])
  for (const wrong of ['', '5', 's', '5 m', '-5m', '5y', '1h2'])
    expect(() => duration.read(wrong)).toThrow('must be a duration')
  expect(instant('past').read('2026-01-02T03:04:05Z').toISOString()).toBe('2026-01-02T03:04:05.000Z')
  expect(Math.abs(instant('past').read('2h').getTime() - (Date.now() - 7_200_000))).toBeLessThan(1_000)
  expect(Math.abs(instant('future').read('2h').getTime() - (Date.now() + 7_200_000))).toBeLessThan(1_000)
  for (const wrong of ['yesterday', '12:00', '2026-13-01', ''])
    expect(() => instant('past').read(wrong)).toThrow('must be a time')
  expect(() => count(1).read('0')).toThrow('from 1 on')
  expect(() => count(1).read('1e3')).toThrow('whole number')
  expect([indexes.read('3'), indexes.read('17-20,3,18')]).toEqual([[3], [3, 17, 18, 19, 20]])
  for (const wrong of ['', '3,', '-1', '5-3', 'x', '1.5', '1-', '0-9999999', '1 2']) {
    expect(() => indexes.read(wrong)).toThrow('must be indexes')
  }
  expect([pair.read('a=1'), pair.read('a=b=c'), pair.read('a="1"'), pair.read('a=')]).toEqual([
    ...[
      ['a', 1],
      ['a', 'b=c'],
      ['a', '1'],
      ['a', ''],
    ],
  ])
  expect(() => pair.read('=x')).toThrow('name=value')
})

it('measures texts as terminals show them, and lets none of them do anything', () => {
  expect(['abc', '日本', '👩‍👩‍👧‍👦', '✔ é', '\u001b[31mred\u001b[0m'].map(widthOf)).toEqual([3, 4, 2, 3, 3])
  expect([cut('日本語', 4), cut('abcdef', 4), cut('abc', 3)]).toEqual(['日…', 'abc…', 'abc'])
  expect(harmless('a\u001b[2Jb\nc\u202ed\u0007')).toBe('a\\x1b[2Jb⏎c\\x202ed\\x07')
  expect(harmlessLine('\u001b[31mred\u001b[0m\u001b]0;title\u0007', true)).toBe(
    '\u001b[31mred\u001b[0m\\x1b]0;title\\x07',
  )
})
