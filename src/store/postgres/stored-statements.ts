import { hash } from 'node:crypto'
import type { ClientBase } from 'pg'
import { type Positional, positional } from '../sql-files.ts'

/**
 * The statements of the hot path are functions in the database. The server parses and plans a statement that is sent as
 * text for every call, which takes longer than to run it for one job; a function is planned once for each connection, whatever
 * pooler stands in between. A plan that is kept must be right for tables of every size, so there is only one way it can go:
 * row by row along indexes. Statements that are stored are written so that this is the best way, too.
 */
type Way = 'seqscan' | 'bitmapscan' | 'mergejoin' | 'hashjoin' | 'nestloop'

const ways: readonly Way[] = ['seqscan', 'bitmapscan', 'mergejoin', 'hashjoin', 'nestloop']
const rowByRow: readonly Way[] = ['nestloop']

/** Other ways, for statements that say so (`-- plans:`). */
const otherWays: Readonly<Record<string, readonly Way[]>> = {
  // Where parts of a statement are joined with each other, and no table: row by row, a thousand of them are a million.
  'hash joins': ['seqscan', 'bitmapscan', 'mergejoin', 'hashjoin'],
  // Where the rows of a table are found by a list of keys, all at once, and then joined with what was given for each.
  'lists of keys': ['hashjoin'],
}

/** All of them are said: a function that a program calls would have those of the program otherwise. */
export function planSettings(sql: string): readonly string[] {
  const open = otherWays[/^-- plans: (.*)$/m.exec(sql)?.[1] ?? ''] ?? rowByRow
  const switches = ways.map((way) => `enable_${way} = ${open.includes(way) ? 'on' : 'off'}`)
  return ['jit = off', 'plan_cache_mode = force_generic_plan', ...switches]
}

/** A statement of which the file says what it returns, as columns with their types: it can be stored. */
export interface StoredStatement {
  readonly definition: string
  readonly name: string
  /** Runs it with the same params as its text. */
  readonly call: Positional
  /** The same within a program, with the params of that. */
  readonly within: string
}

/** Several statements in one function, which nobody can send as text: each sees what those before it and others have done. */
export function isProgram(sql: string): boolean {
  return /^-- program$/m.test(sql)
}

/**
 * Its name follows from its text and its settings: another version of Stint that works on the same database has another. In a program,
 * `{name}` calls a statement that is stored with the params of the program, or with others: `{name param=expression}`.
 */
export function storedStatement(
  sql: string,
  schema: string,
  find: (name: string) => StoredStatement | undefined = () => undefined,
): StoredStatement | null {
  const returns = [...sql.matchAll(/^-- returns: (.*)$/gm)].map(([, columns]) => columns).join(' ')
  if (returns === '') return null
  const { text, params } = positional(isProgram(sql) ? withCalls(sql, find) : sql, '$')
  const settings = planSettings(sql)
  const name = `fast_${hash('sha256', [...settings, text].join('\n'), 'hex').slice(0, 16)}`
  const types = params.map((param, i) => typeOf(text, i + 1, param))
  const body = isProgram(sql) ? text : `begin return query ${text}; end`
  const definition = `create function ${schema}.${name}(${types.join(', ')}) returns setof record language plpgsql
${settings.map((setting) => `set ${setting}`).join(' ')} as $stored$ ${body} $stored$`
  const call = (args: readonly string[]) => `${schema}.${name}(${args.join(', ')}) as answer(${returns})`
  return {
    name,
    definition,
    call: { text: `select * from ${call(params.map((_, i) => `$${i + 1}`))}`, params },
    within: call(params.map((param, i) => `:${param}::${types[i]}`)),
  }
}

function withCalls(sql: string, find: (name: string) => StoredStatement | undefined): string {
  return sql.replaceAll(/\{(\w+)((?: \w+=[\w.]+)*)\}/g, (_, name: string, others: string) => {
    const called = find(name)
    if (called === undefined) throw new Error(`A program can only call what is stored, and ${name} is not.`)
    return others
      .split(' ')
      .slice(1)
      .reduce((call, other) => {
        const [param = '', value = ''] = other.split('=')
        return call.replaceAll(new RegExp(`:${param}::`, 'g'), () => `${value}::`)
      }, called.within)
  })
}

function typeOf(text: string, number: number, param: string): string {
  const types = new Set(
    [...text.matchAll(new RegExp(`\\$${number}::([a-z]+(?:\\[\\])?)`, 'g'))].map(([, type]) => type),
  )
  const [type] = types
  if (type === undefined) throw new Error(`A statement that is stored must cast its parameter ${param}.`)
  // Two statements that a program calls may mean different things by one name.
  if (types.size > 1)
    throw new Error(`A statement that is stored casts its parameter ${param} to ${[...types].join(' and ')}.`)
  return type
}

/**
 * Makes those that are missing, and tells whether all are there. A role that may use the schema but make nothing in it sends
 * the text instead.
 */
export async function store(client: ClientBase, schema: string, statements: readonly StoredStatement[]) {
  const { rows } = await client.query(
    'select proname as name from pg_proc join pg_namespace on pg_namespace.oid = pronamespace where nspname = $1',
    [schema],
  )
  const there = new Set(rows.map(({ name }) => name))
  const missing = statements.filter(({ name }) => !there.has(name))
  if (missing.length === 0) return true
  const { rows: may } = await client.query(`select has_schema_privilege($1, 'create') as create`, [schema])
  if (may[0]?.create !== true) return false
  for (const { definition } of missing) await client.query(definition)
  return true
}
