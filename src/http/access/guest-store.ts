import { StintError } from '../../core/errors.ts'
import { overriding } from '../../engine/observed-store.ts'
import type { ApplyRequest, ApplyResult, Store, Submission, SubmitResult } from '../../store/store.ts'
import { isSystemPath, systemNamespace } from '../../store/system-path.ts'
import { commandType } from '../command-job.ts'

export interface GuestRules {
  /** Whether jobs that run any program may be made. */
  readonly commands: boolean
}

/** What is looked at: a name, and the type that is said, or else that of a template. */
interface Made {
  readonly name?: unknown
  readonly type?: unknown
  readonly template?: unknown
}

/** Of the input of a control, in it or in its changes. */
interface Given extends Made {
  readonly path?: unknown
  readonly schedule?: string
  readonly changes?: Given
  readonly finish?: Made | null
}

/**
 * The store as those see it who come over HTTP. What Stint keeps for itself they may look at and cancel, but neither make nor
 * change: a message of a webhook is signed, and an operation does what its params say. The same holds for programs to run, where
 * they are not allowed. Wherever a type or a name can stand, it is looked at here, so no route can forget it.
 */
export function guestStore(store: Store, rules: GuestRules): Store {
  const refusal = ({ name, type }: Made): StintError | null => {
    if (isSystemPath(name)) {
      return refused('name', `must not be below /${systemNamespace}, which Stint keeps for itself`)
    }
    if (typeof type === 'string' && type.startsWith('stint.')) return refused('type', 'must not be one of Stint itself')
    if (type === commandType && !rules.commands) return refused('type', `must not be ${commandType} on this server`)
    return null
  }
  const require = (made: Made): void => {
    const error = refusal(made)
    if (error !== null) throw error
  }
  /** Refuses also what a template says, whoever made that: whoever uses or changes it chooses the params. */
  const requireAll = async ({ name, type, template }: Made): Promise<void> => {
    require({ name, type })
    if (rules.commands || typeof type === 'string' || typeof template !== 'string') return
    require({ type: (await store.control('template.get', { template }))?.type })
  }
  const refusalOfEach = (submission: Submission): StintError | null | Promise<StintError | null> => {
    const made: Made = submission ?? {}
    const refused = refusal(made) ?? refusal(submission?.onFailure ?? {})
    return refused !== null || typeof made.template !== 'string' ? refused : refusalIn(() => requireAll(made))
  }
  const refusalOfEdit = async ({ job, command }: ApplyRequest): Promise<StintError | null> => {
    if (command.type !== 'edit') return null
    const [stored] = typeof job === 'string' ? await store.find([{ id: job }]) : [job]
    return refusal(stored?.job ?? {})
  }
  const requireControl = async (name: string, input: Given): Promise<void> => {
    const { changes = input } = input
    await requireAll({ name: input.path, type: changes.type, template: input.template ?? changes.template })
    require(changes.finish ?? {})
    const { schedule } = input
    if (name !== 'schedule.change' || schedule === undefined) return
    await requireAll((await store.control('schedule.get', { schedule })) ?? {})
  }
  return overriding(store, {
    submit: async (submissions, options) => {
      const refusals = await each(submissions, refusalOfEach)
      return await exceptRefused(submissions, refusals, {
        write: (allowed) => store.submit(allowed, options),
        refuse: (error): SubmitResult => ({ outcome: 'refused', error }),
      })
    },
    apply: async (requests, options) => {
      const refusals = await each(requests, refusalOfEdit)
      return await exceptRefused(requests, refusals, {
        write: (allowed) => store.apply(allowed, options),
        refuse: (error): ApplyResult => ({ ok: false, error }),
      })
    },
    claim: async (request) => {
      for (const type of request.types) require({ type })
      return await store.claim(request)
    },
    control: async (name, input, options) => {
      if (/\.(?:create|set|change)$/.test(name)) await requireControl(name, input as Given)
      return await store.control(name, input, options)
    },
  })
}

/** One after the other: nearly none of them has to wait for anything, and those do not. */
async function each<Item>(
  items: readonly Item[],
  refusalOf: (item: Item) => StintError | null | Promise<StintError | null>,
): Promise<readonly (StintError | null)[]> {
  const refusals: (StintError | null)[] = []
  for (const item of items) {
    const refusal = refusalOf(item)
    refusals.push(refusal instanceof Promise ? await refusal : refusal)
  }
  return refusals
}

/** Writes what is not refused, and gives what became of each in its place. */
async function exceptRefused<Item, Result>(
  items: readonly Item[],
  refusals: readonly (StintError | null)[],
  done: { write(allowed: readonly Item[]): Promise<readonly Result[]>; refuse(error: StintError): Result },
): Promise<readonly Result[]> {
  if (refusals.every((error) => error === null)) return await done.write(items)
  const written = [...(await done.write(items.filter((_, i) => refusals[i] === null)))]
  return refusals.map((error) => (error === null ? (written.shift() as Result) : done.refuse(error)))
}

/** What is thrown by us; null when nothing is. */
async function refusalIn(check: () => Promise<void>): Promise<StintError | null> {
  try {
    await check()
    return null
  } catch (error) {
    if (error instanceof StintError) return error
    throw error
  }
}

function refused(field: string, rule: string): StintError {
  return new StintError('forbidden', `${field} ${rule}.`, { field, rule })
}
