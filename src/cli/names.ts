import { JobName } from '../core/names/job-name.ts'
import type { Call } from './call.ts'
import { Failure } from './exit.ts'

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** What a job, a schedule or anything else with a place in the tree is called: an id as it is, a name in full. */
export function reference(call: Pick<Call, 'settings' | 'env'>, typed: string): string {
  return typed.startsWith('/') || typed.includes(':') || uuid.test(typed) ? typed : fullName(call, typed)
}

/**
 * Where a list or a tree begins: a name, null for everything. A branch may be typed as people and shells write directories, with a
 * slash at its end, and `/` is all there is.
 */
export function placeOf(call: Pick<Call, 'settings' | 'env'>, typed: string | undefined): string | null {
  const place = typed?.replace(/(?:\/(?:\*\*)?)+$/, '')
  return place === undefined || place === '' ? null : reference(call, place)
}

/**
 * A name in full. Without the first slash it begins where relative names do: inside a command job at the name of that job, as in
 * a handler, else at the namespace.
 */
export function fullName({ settings, env }: Pick<Call, 'settings' | 'env'>, typed: string): string {
  if (typed.startsWith('/')) return typed
  const base = ownJob(env) ?? JobName.root(settings.get('namespace', undefined)?.value ?? 'default')
  return typed
    .split('/')
    .reduce((name, component) => name.child(component), base)
    .toWire()
}

/** The job that this process is part of; null when it is part of none. Of a task it is the job of the task. */
export function ownJob(env: NodeJS.ProcessEnv): JobName | null {
  const text = env['STINT_TASK_ID']
  if (text === undefined || text === '') return null
  const name = JobName.parse(text)
  return name.isTask ? name.requireTask().job : name
}

/** Whether a branch is meant, `/reports/**`, and which. */
export function branchOf(typed: string): string | null {
  const branch = /^(.*?)\/\*\*$/.exec(typed)?.[1]
  if (branch === undefined) return null
  if (branch === '')
    throw new Failure('usage', 'All jobs of all namespaces are too many for a mistake.', 'Name a branch: /reports/**.')
  return branch
}
