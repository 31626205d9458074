import type { JobsQuery } from 'stint/client'

/** What the words in the search field mean. */
export interface Search {
  readonly query: Omit<JobsQuery, 'cursor' | 'limit'>
  /** What could not be understood, in words. */
  readonly problem: string | null
}

type Query = { -readonly [Name in keyof Search['query']]: Search['query'][Name] }

export const qualifiers: readonly (readonly [string, string])[] = [
  ['name:/reports', 'at or below a name'],
  ['type:render', 'of a type'],
  ['key:order-7', 'with a key'],
  ['status:failed', 'queued, running, completed, failed, cancelled, skipped'],
  ['label.team:billing', 'with a label'],
  ['params.customer.id:42', 'with a value in its params'],
  ['error:timeout', 'with a text in its error'],
  ['since:2h', 'created within 30s, 15m, 2h, 7d, or since a date'],
  ['order', 'any other text, in name, type, key or error'],
]

/** `type:render params.day:1 "some text"` as a query. */
export function parseSearch(text: string, now: number): Search {
  const query: Query = {}
  const problems: string[] = []
  const words: string[] = []
  for (const [, name, quoted, plain] of text.matchAll(/(?:([\w.]+):)?(?:"([^"]*)"|(\S+))/g)) {
    const value = quoted ?? plain ?? ''
    if (name === undefined) words.push(value)
    else {
      const problem = take(query, name, value, now)
      if (problem !== null) problems.push(problem)
    }
  }
  if (words.length > 0) query.text = words.join(' ')
  return { query, problem: problems[0] ?? null }
}

function take(query: Query, name: string, value: string, now: number): string | null {
  if (name === 'type' || name === 'key' || name === 'error') query[name] = value
  else if (name === 'name') query.branch = value
  else if (name === 'status') return takeStatus(query, value)
  else if (name === 'since') return takeSince(query, value, now)
  else if (name.startsWith('label.')) query.label = { name: name.slice('label.'.length), value }
  else if (name.startsWith('params.')) query.params = { ...query.params, [name.slice('params.'.length)]: value }
  else return `There is no ${name}: to search by.`
  return null
}

/** As tabs and the search name them. */
export const statuses: Readonly<Record<string, Pick<JobsQuery, 'status' | 'outcome'>>> = {
  queued: { status: 'QUEUED' },
  running: { status: 'RUNNING' },
  completed: { status: null, outcome: 'COMPLETED' },
  failed: { status: null, outcome: 'FAILED' },
  cancelled: { status: 'CANCELLED' },
  skipped: { outcome: 'SKIPPED' },
}

function takeStatus(query: Query, value: string): string | null {
  const filter = statuses[value.toLowerCase()]
  if (filter === undefined) return `There is no status ${value}.`
  Object.assign(query, filter)
  return null
}

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function takeSince(query: Query, value: string, now: number): string | null {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(value) ?? []
  const at = unit === undefined ? Date.parse(value) : now - Number(count) * (unitsMs[unit] ?? 0)
  if (!Number.isFinite(at)) return `since:${value} is neither a time, such as 2h, nor a date.`
  // To the minute: what is asked for must not differ with every look.
  query.since = new Date(Math.floor(at / 60_000) * 60_000)
  return null
}
