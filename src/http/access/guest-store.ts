import { StintError } from '../../core/errors.ts'
import { overriding } from '../../engine/observed-store.ts'
import type { ApplyRequest, ApplyResult, Store, Submission, SubmitResult } from '../../store/store.ts'
import { isSystemPath, systemNamespace } from '../../store/system-path.ts'
import { commandType } from '../command-job.ts'

export interface GuestRules {
  /** Whether jobs that run any program may be made. */
  readonly commands: boolean
}

/**
 * The store as those see it who come over HTTP. What Stint keeps for itself they may look at and cancel, but neither make nor
 * change: a message of a webhook is signed, and an operation does what its params say. Wherever a type or a name can stand,
 * it is looked at here, so no route can forget it.
 */
export function guestStore(store: Store, rules: GuestRules): Store {
  const refusal = ({ name, type }: { readonly name?: unknown; readonly type?: unknown }): StintError | null => {
    if (isSystemPath(name)) return refused('name', `must not be below /${systemNamespace}, which Stint keeps for itself`)
    if (typeof type === 'string' && type.startsWith('stint.')) return refused('type', 'must not be one of Stint itself')
    if (type === commandType && !rules.commands) return refused('type', `must not be ${commandType} on this server`)
    return null
  }
  const refusalOf = (submission: Submission): StintError | null => {
    return refusal(submission ?? {}) ?? refusal(submission?.onFailure ?? {})
  }
  const require = (about: Parameters<typeof refusal>[0]): void => {
    const error = refusal(about)
    if (error !== null) throw error
  }
  const isEditOfOurs = async ({ job, command }: ApplyRequest): Promise<boolean> => {
    if (command.type !== 'edit') return false
    const [stored] = typeof job === 'string' ? await store.find([{ id: job }]) : [job]
    return isSystemPath(stored?.job.name)
  }
  return overriding(store, {
    submit: async (submissions, options) => {
      const refusals = submissions.map(refusalOf)
      if (refusals.every((error) => error === null)) return await store.submit(submissions, options)
      const made = [
        ...(await store.submit(
          submissions.filter((_, i) => refusals[i] === null),
          options,
        )),
      ]
      return refusals.map((error): SubmitResult => {
        return error === null ? (made.shift() as SubmitResult) : { outcome: 'refused', error }
      })
    },
    apply: async (requests, options) => {
      const ours = await Promise.all(requests.map(isEditOfOurs))
      if (!ours.includes(true)) return await store.apply(requests, options)
      const made = [
        ...(await store.apply(
          requests.filter((_, i) => !ours[i]),
          options,
        )),
      ]
      return ours.map((isOne): ApplyResult => {
        return isOne
          ? { ok: false, error: refused('job', 'must not be one of Stint itself') }
          : (made.shift() as ApplyResult)
      })
    },
    claim: async (request) => {
      for (const type of request.types) require({ type })
      return await store.claim(request)
    },
    control: async (name, input, options) => {
      const given = input as { readonly [field: string]: unknown }
      const changes = (given['changes'] ?? given) as { readonly type?: unknown; readonly finish?: object | null }
      if (/\.(?:create|set|change)$/.test(name)) {
        require({ name: given['path'], type: changes.type })
        require(changes.finish ?? {})
      }
      return await store.control(name, input, options)
    },
  })
}

function refused(field: string, rule: string): StintError {
  return new StintError('forbidden', `${field} ${rule}.`, { field, rule })
}
