import { readFileSync } from 'node:fs'
import type { Json } from '../core/json.ts'
import { Failure } from './exit.ts'

/** How a value is read from what was typed. */
export interface Reader<T> {
  /** How it is shown in help: `<duration>`. */
  readonly name: string
  readonly choices?: readonly string[]
  read(text: string): T
}

export const text = (name: string): Reader<string> => ({ name, read: (given) => given })

export function choice<const Choice extends string>(...choices: readonly Choice[]): Reader<Choice> {
  return {
    name: choices.join('|'),
    choices,
    read: (given) => {
      const found = choices.find((each) => each === given)
      if (found === undefined) throw usage(`must be one of ${choices.join(', ')}; got "${given}"`)
      return found
    },
  }
}

export function count(min = 1, max = Number.MAX_SAFE_INTEGER): Reader<number> {
  return {
    name: 'n',
    read: (given) => {
      const number = Number(given)
      if (!/^-?\d+$/.test(given) || number < min || number > max)
        throw usage(`must be a whole number from ${min} on; got "${given}"`)
      return number
    },
  }
}

/** Indexes and ranges of them: `3,17-20`. Each once, in their order. */
export const indexes: Reader<readonly number[]> = {
  name: 'indexes',
  read: (given) => {
    const ranges = given.split(',').map((part) => {
      const [, first, last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? []
      const [from, to] = [Number(first), Number(last)]
      if (!(from <= to)) throw usage(`must be indexes and ranges of them as 3,17-20; got "${given}"`)
      return Array.from({ length: to - from + 1 }, (_, i) => from + i)
    })
    return [...new Set(ranges.flat())].sort((a, b) => a - b)
  },
}

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Milliseconds of `90s`, `5m`, `2h30m`, `1d`. */
export const duration: Reader<number> = {
  name: 'duration',
  read: (given) => {
    if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/.test(given))
      throw usage(`must be a duration as 90s, 5m, 2h or 1d; got "${given}"`)
    const parts = given.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)
    return Math.round([...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ''] ?? 0), 0))
  },
}

/** An instant: `2026-11-15T09:00Z`, a date, `now`, or a duration before (`--since 2h`) or after (`--at 10m`) now. */
export function instant(direction: 'past' | 'future'): Reader<Date> {
  return {
    name: 'time',
    read: (given) => {
      const sign = direction === 'past' ? -1 : 1
      if (given === 'now') return new Date()
      if (/^\d+(?:\.\d+)?(?:ms|[smhdw])/.test(given)) return new Date(Date.now() + sign * duration.read(given))
      const at = /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : Number.NaN
      if (Number.isNaN(at)) throw usage(`must be a time as 2026-11-15T09:00:00Z, or a duration as 2h; got "${given}"`)
      return new Date(at)
    },
  }
}

/** JSON, or `@file` with it, or `-` for what comes in. */
export const json: Reader<Json> = {
  name: 'json',
  read: (given) => {
    const source = given === '-' ? readFileSync(0, 'utf8') : given.startsWith('@') ? fileText(given.slice(1)) : given
    try {
      return JSON.parse(source) as Json
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw usage(`must be JSON: ${why}`, `Quote it for your shell: '{"who":"Ada"}', or use -p who=Ada.`)
    }
  },
}

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw usage(`names a file that cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

/** `name=value`. The value is what JSON makes of it, else the text itself. */
export const pair: Reader<readonly [name: string, value: Json]> = {
  name: 'name=value',
  read: (given) => {
    const [name, value] = split(given)
    return [name, jsonOrText(value)]
  },
}

/** `name=value`, both text. */
export const textPair: Reader<readonly [name: string, value: string]> = { name: 'name=value', read: split }

function split(given: string): readonly [string, string] {
  const at = given.indexOf('=')
  if (at < 1) throw usage(`must be name=value; got "${given}"`)
  return [given.slice(0, at), given.slice(at + 1)]
}

/** What JSON makes of a text, or the text itself. */
export function jsonOrText(given: string): Json {
  try {
    return JSON.parse(given) as Json
  } catch {
    return given
  }
}

function usage(message: string, hint: string | null = null): Failure {
  return new Failure('usage', message, hint)
}
