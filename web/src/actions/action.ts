import type { Client } from 'stint/client'
import { apiUrl } from '../data/base.ts'

/** Something that can be done, here by a press of a button, and elsewhere by what it is copied as. */
export interface Action<Result = unknown> {
  /** What the button says. */
  readonly label: string
  /** What became of it, once it is done. */
  readonly done: string
  /** The role that it needs. */
  readonly role: 'submit' | 'admin'
  readonly request: {
    readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
    readonly path: string
    readonly body?: unknown
  }
  /** The same on the command line; null where that cannot do it. */
  readonly cli: string | null
  /** The same in a program, with `client` at hand. */
  readonly code: string
  run(client: Client): Promise<Result>
}

export function curlOf({ request: { method, path, body } }: Action, hasKey: boolean): string {
  const parts = [
    `curl -s${method === 'POST' && body !== undefined ? '' : ` -X ${method}`} ${quoted(`${apiUrl}/v1${path}`)}`,
    ...(hasKey ? ['-H "authorization: Bearer $STINT_API_KEY"'] : []),
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ]
  return parts.join(' \\\n  ')
}

export function codeOf({ code }: Action, hasKey: boolean): string {
  const options = hasKey ? `{ url: '${apiUrl}', key: process.env.STINT_API_KEY }` : `{ url: '${apiUrl}' }`
  return `import { connect } from 'stint/client'\n\nconst client = connect(${options})\n${code}`
}

/** For a shell: nothing in it is taken for more than text. */
export function quoted(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** For a program. */
export function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : JSON.stringify(value)
}
