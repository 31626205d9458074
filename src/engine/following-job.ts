import type { OnFailure } from '../core/job/job.ts'
import { toJsonText } from '../core/json.ts'
import { type JobName, resolveName } from '../core/names/job-name.ts'
import type { Env } from './env.ts'
import { shortId } from './ids.ts'

/** A job to submit when something has ended: its type, or more. What has ended is added to its params. */
export type FollowingJob = string | { readonly type: string; readonly name?: string; readonly params?: object }

/** Its id and name are made now, so that it is made once, whoever makes it. `field` names it in errors. */
export function followingJob(
  given: FollowingJob,
  base: JobName,
  field: string,
  { newId }: Pick<Env, 'newId'>,
): OnFailure {
  const { type, name, params } = typeof given === 'string' ? { type: given } : given
  const id = newId()
  const jobName = name === undefined ? base.child(`${type}-${shortId(id)}`) : resolveName(name, base)
  return { id, type, name: jobName.toWire(), params: toJsonText(params, `${field}.params`) }
}
