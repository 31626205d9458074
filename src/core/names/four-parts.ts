import { invalid } from './invalid.ts'

/** What an id of four parts is made from. Without a database or namespace: leave it out, or give null or ''. */
export interface IdParts {
  readonly project: string
  readonly database?: string | null | undefined
  readonly namespace?: string | null | undefined
  readonly name: string
}

/** The same, checked, with one form for what is absent. */
export interface FourParts {
  readonly project: string
  readonly database: string | null
  readonly namespace: string | null
  readonly name: string
}

/** These need no escape in a path of a URL, a log line or a file name, and leave `:` free to stand between parts. */
const alphabet = /^[A-Za-z0-9._~-]+$/
const alphabetRule = 'is one or more of A-Z a-z 0-9 . _ ~ -'

export function checkParts(kind: string, parts: IdParts): FourParts {
  if (typeof parts !== 'object' || parts === null) {
    throw invalid('invalid_id', kind, parts, 'it is made of { project, database, namespace, name }')
  }
  const refuse = (part: string, value: unknown) => invalid('invalid_id', kind, value, `the ${part} ${alphabetRule}`)
  return partsOf(parts.project, parts.database, parts.namespace, parts.name, refuse)
}

/** Reads `text`, which is `input` without the suffixes of its kind: errors name what the caller wrote. */
export function readParts(kind: string, text: string, input: string): FourParts {
  const [project, database, namespace, name, ...more] = text.split(':')
  if (name === undefined || more.length > 0) {
    throw invalid('invalid_id', kind, input, 'it has exactly four parts: project:database:namespace:name')
  }
  const refuse = (part: string) => invalid('invalid_id', kind, input, `the ${part} ${alphabetRule}`)
  return partsOf(project, database, namespace, name, refuse)
}

export function printParts({ project, database, namespace, name }: FourParts): string {
  return `${project}:${database ?? ''}:${namespace ?? ''}:${name}`
}

type Refuse = (part: keyof FourParts, value: unknown) => Error

function partsOf(project: unknown, database: unknown, namespace: unknown, name: unknown, refuse: Refuse): FourParts {
  return {
    project: required('project', project, refuse),
    database: optional('database', database, refuse),
    namespace: optional('namespace', namespace, refuse),
    name: required('name', name, refuse),
  }
}

function required(part: keyof FourParts, value: unknown, refuse: Refuse): string {
  if (typeof value !== 'string' || !alphabet.test(value)) throw refuse(part, value)
  return value
}

function optional(part: keyof FourParts, value: unknown, refuse: Refuse): string | null {
  return value === undefined || value === null || value === '' ? null : required(part, value, refuse)
}
