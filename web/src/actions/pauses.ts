import { type Action, literal, quoted } from './action.ts'

/** A branch by its path, or all jobs of a type. */
export type PauseOf = { readonly path: string } | { readonly type: string }

const nameOf = (of: PauseOf) => ('path' in of ? of.path : `the type ${of.type}`)
const codeOf = (of: PauseOf) => ('path' in of ? literal(of.path) : `{ type: ${literal(of.type)} }`)
const flagsOf = (of: PauseOf) => ('path' in of ? quoted(of.path) : `--type ${quoted(of.type)}`)

export function pause(of: PauseOf, reason?: string): Action {
  const why = reason ? { reason } : {}
  return {
    label: 'Pause',
    done: `${nameOf(of)} is paused: nothing ${'path' in of ? 'below it' : 'of it'} starts`,
    role: 'admin',
    request: { method: 'POST', path: '/pauses', body: { ...of, ...why } },
    cli: `stint pause ${flagsOf(of)}${reason ? ` --reason ${quoted(reason)}` : ''}`,
    code: `await client.pause(${codeOf(of)}${reason ? `, { reason: ${literal(reason)} }` : ''})`,
    run: (client) => client.pause(of, why),
  }
}

export function resume(of: PauseOf): Action {
  return {
    label: 'Resume',
    done: `${nameOf(of)} goes on`,
    role: 'admin',
    request: { method: 'DELETE', path: `/pauses?${new URLSearchParams({ ...of })}` },
    cli: `stint resume ${flagsOf(of)}`,
    code: `await client.resume(${codeOf(of)})`,
    run: (client) => client.resume(of),
  }
}

export function pauseBranch(path: string): Action {
  return pause({ path })
}

export function resumeBranch(path: string): Action {
  return resume({ path })
}
