import { type Action, literal, quoted } from './action.ts'

export function pauseBranch(path: string): Action {
  return {
    label: 'Pause',
    done: `${path} is paused: nothing below it starts`,
    role: 'admin',
    request: { method: 'POST', path: '/pauses', body: { path } },
    cli: `stint pause ${quoted(path)}`,
    code: `await client.pause(${literal(path)})`,
    run: (client) => client.pause(path),
  }
}

export function resumeBranch(path: string): Action {
  return {
    label: 'Resume',
    done: `${path} goes on`,
    role: 'admin',
    request: { method: 'DELETE', path: `/pauses?path=${encodeURIComponent(path)}` },
    cli: `stint resume ${quoted(path)}`,
    code: `await client.resume(${literal(path)})`,
    run: (client) => client.resume(path),
  }
}
