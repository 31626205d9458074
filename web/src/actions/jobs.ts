import type { Client, JobView, MoveTarget, NewOperation, OperationView } from 'stint/client'
import { type Action, literal, quoted } from './action.ts'

type Named = Pick<JobView, 'id' | 'name'>

export function cancelJob({ id, name }: Named, { branch = true }: { readonly branch?: boolean } = {}): Action {
  const options = branch ? {} : { branch: false }
  return {
    label: branch ? 'Cancel' : 'Cancel without its branch',
    done: `${name} is being cancelled`,
    role: 'submit',
    request: { method: 'POST', path: `/jobs/${id}/cancel`, body: options },
    cli: `stint cancel ${quoted(id)}${branch ? '' : ' --no-branch'}`,
    code: `await client.jobs.cancel('${id}'${branch ? '' : ', { branch: false }'})`,
    run: (client) => client.jobs.cancel(id, options),
  }
}

export function retryJob({ id, name }: Named): Action<{ readonly id: string }> {
  return {
    label: 'Run again',
    done: `${name} runs again, as a new job`,
    role: 'submit',
    request: { method: 'POST', path: `/jobs/${id}/retry` },
    cli: `stint retry ${quoted(id)}`,
    code: `await client.jobs.retry('${id}')`,
    run: (client) => client.jobs.retry(id),
  }
}

export function moveJob({ id, name }: Named, to: Extract<MoveTarget, string>): Action {
  return {
    label: to === 'front' ? 'Move to the front' : 'Move to the end',
    done: `${name} is at the ${to} of its priority`,
    role: 'submit',
    request: { method: 'POST', path: `/jobs/${id}/move`, body: { to } },
    cli: null,
    code: `await client.jobs.move('${id}', '${to}')`,
    run: (client) => client.jobs.move(id, to),
  }
}

export interface JobChanges {
  readonly priority?: number
  readonly params?: unknown
}

export function editJob({ id, name }: Named, changes: JobChanges): Action {
  return {
    label: 'Save',
    done: `${name} is changed`,
    role: 'submit',
    request: { method: 'PATCH', path: `/jobs/${id}`, body: changes },
    cli: null,
    code: `await client.jobs.edit('${id}', ${JSON.stringify(changes)})`,
    run: (client) => client.jobs.edit(id, changes),
  }
}

export interface TasksToRun {
  /** Tasks that run again whether they are done or not. */
  readonly indexes: readonly number[]
  /** How many others are not done. */
  readonly open: number
}

export function retryShards({ id, name }: Named, { indexes, open }: TasksToRun): Action<{ readonly id: string }> {
  const isSome = indexes.length > 0
  const options = isSome ? { indexes } : {}
  return {
    label: isSome ? selectedText(indexes.length, open) : openText(open),
    done: `${name} runs again, with the tasks that were ${isSome ? 'selected' : 'not done'}`,
    role: 'submit',
    request: { method: 'POST', path: `/jobs/${id}/shards/retry`, ...(isSome ? { body: options } : {}) },
    cli: `stint retry ${quoted(id)} ${isSome ? `--tasks ${rangesText(indexes)}` : '--shards'}`,
    code: `await client.shards.retry('${id}'${isSome ? `, { indexes: [${indexes.join(', ')}] }` : ''})`,
    run: (client) => client.shards.retry(id, options),
  }
}

function openText(open: number): string {
  return `Run ${open === 1 ? 'the task that is' : `${open} tasks that are`} not done again`
}

function selectedText(selected: number, open: number): string {
  const others = open === 0 ? '' : `, and ${open} that ${open === 1 ? 'is' : 'are'} not done`
  return `Run ${selected} selected again${others}`
}

/** `3,17-20` of indexes in their order. */
function rangesText(indexes: readonly number[]): string {
  const ranges = Map.groupBy(indexes, (index, place) => index - place).values()
  return [...ranges].map((run) => (run.length === 1 ? `${run[0]}` : `${run[0]}-${run.at(-1)}`)).join(',')
}

export interface NewJob {
  readonly type: string
  readonly name?: string
  readonly key?: string
  readonly priority?: number
  readonly params?: unknown
}

export function submitJob(job: NewJob): Action<Awaited<ReturnType<Client['submit']>>> {
  const { type, params = {}, ...options } = job
  const flags = Object.entries(options).map(([name, value]) => ` --${name} ${quoted(String(value))}`)
  const given = Object.keys(options).length === 0 ? '' : `, ${literal(options)}`
  return {
    label: 'Submit',
    done: `${job.name ?? type} is submitted`,
    role: 'submit',
    request: { method: 'POST', path: '/jobs', body: { ...job, params } },
    cli: `stint submit ${quoted(type)} ${quoted(JSON.stringify(params))}${flags.join('')}`,
    code: `await client.submit(${literal(type)}, ${JSON.stringify(params)}${given})`,
    run: (client) => client.submit(type, params as never, options as never),
  }
}

/** The same done to all jobs of a filter, in the background. */
export function operate(operation: NewOperation, scope: string): Action<OperationView> {
  const { action } = operation
  return {
    label: action === 'cancel' ? `Cancel ${scope}` : `Run ${scope} again`,
    done: action === 'cancel' ? `Cancelling ${scope}` : `Running ${scope} again`,
    role: 'submit',
    request: { method: 'POST', path: '/operations', body: operation },
    cli: cliOf(operation),
    code: `await client.operations.begin(${JSON.stringify(operation)})`,
    run: (client) => client.operations.begin(operation),
  }
}

/** A branch has a form of its own; whatever else is meant is listed first. Null for what no list of the command line finds. */
function cliOf({ action, filter }: NewOperation): string | null {
  const { branch, outcome, status, label, text, error, params, since, ...rest } = filter
  if (text !== undefined || error !== undefined || params !== undefined || since !== undefined) return null
  const isBranch = branch !== undefined && status === undefined && label === undefined && Object.keys(rest).length === 0
  // Of a branch, those that failed run again.
  if (isBranch && outcome === (action === 'retry' ? 'FAILED' : undefined))
    return `stint ${action} ${quoted(`${branch}/**`)}`
  const state = (outcome ?? status)?.toLowerCase()
  const flags = [
    ...(state === undefined ? [] : [`--status ${state}`]),
    ...Object.entries(rest).map(([name, value]) => `--${name} ${quoted(String(value))}`),
    ...(label === undefined ? [] : [`--label ${quoted(`${label.name}=${label.value}`)}`]),
  ]
  const what = [...(branch === undefined ? [] : [quoted(branch)]), ...flags].join(' ')
  return `stint list ${what} --limit 1000 -o name | xargs stint ${action}`
}
