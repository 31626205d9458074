import type { GroupView } from 'stint/client'
import { type Action, quoted } from './action.ts'

type Named = Pick<GroupView, 'id' | 'path'>

export function sealGroup({ id, path }: Named): Action {
  return {
    label: 'Seal',
    done: `${path} is sealed: its members may run`,
    role: 'submit',
    request: { method: 'POST', path: `/groups/${id}/seal` },
    cli: `stint group seal ${quoted(id)}`,
    code: `await client.groups.seal('${id}')`,
    run: (client) => client.groups.seal(id),
  }
}

export function cancelGroup({ id, path }: Named): Action {
  return {
    label: 'Cancel all',
    done: `${path} is being cancelled`,
    role: 'submit',
    request: { method: 'POST', path: `/groups/${id}/cancel`, body: {} },
    cli: `stint group cancel ${quoted(id)}`,
    code: `await client.groups.cancel('${id}')`,
    run: (client) => client.groups.cancel(id),
  }
}

/** All members that have not started, in another order. */
export function reorderGroup({ id, path }: Named, jobs: readonly string[], label: string): Action {
  return {
    label,
    done: `${path} has another order`,
    role: 'submit',
    request: { method: 'POST', path: `/groups/${id}/reorder`, body: { jobs } },
    cli: `stint group reorder ${quoted(id)} ${jobs.map(quoted).join(' ')}`,
    code: `await client.groups.reorder('${id}', ${JSON.stringify(jobs)})`,
    run: (client) => client.groups.reorder(id, jobs),
  }
}
