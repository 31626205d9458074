import { StintError } from '../../core/errors.ts'
import { inOrderOfNeed } from '../../core/slot/needs.ts'
import type { Draft } from '../submission.ts'
import type { Creation, Transaction } from '../transaction.ts'
import { heldSupplies, type Supply } from './supply.ts'

/** A submission on its way. */
interface Asking {
  readonly index: number
  readonly draft: Draft
}

/** Puts submissions behind those that they need. Those that are stuck wait for each other in a circle. */
export function inNeedOrder<T extends Asking>(
  open: readonly T[],
  isSequence: (groupId: string | null) => boolean,
): { ordered: readonly T[]; stuck: readonly T[] } {
  if (open.every(({ draft }) => draft.spec.needs === null)) return { ordered: open, stuck: [] }
  const last = new Map<string, string>()
  const items = open.map((entry) => {
    const { id, groupId } = entry.draft.spec
    // In a sequence each waits for the one before it, too.
    const before = groupId !== null && isSequence(groupId) ? last.get(groupId) : undefined
    if (groupId !== null) last.set(groupId, id)
    return { entry, id, needs: before === undefined ? needsOf(entry) : [...needsOf(entry), before] }
  })
  const { ordered, circular: stuck } = inOrderOfNeed(items)
  return { ordered: ordered.map(({ entry }) => entry), stuck: stuck.map(({ entry }) => entry) }
}

export function circular({ spec: { id, name } }: Draft): StintError {
  const message = `Job ${name} needs what waits for it, or for others that wait for each other.`
  return new StintError('cycle', message, { jobId: id, name })
}

/** UUIDs of what submissions need. */
export function neededIds(open: readonly Asking[]): readonly string[] {
  return [...new Set(open.flatMap(needsOf))]
}

function needsOf({ draft }: Asking): readonly string[] {
  return draft.spec.needs === null ? [] : [...new Set(draft.spec.needs.list.map(({ of }) => of))]
}

/** What the submissions of one round need: jobs and slots that are there, and jobs that are made in the same round. */
export class NeedsOfRound {
  readonly #supplies: ReadonlyMap<string, Supply>
  /** Those of this round, by the id that they will have. */
  readonly #asking: ReadonlyMap<string, number>
  readonly #made = new Map<string, number>()

  private constructor(supplies: ReadonlyMap<string, Supply>, asking: ReadonlyMap<string, number>) {
    this.#supplies = supplies
    this.#asking = asking
  }

  static async of(tx: Transaction, open: readonly Asking[]): Promise<NeedsOfRound> {
    const asking = new Map(open.map(({ index, draft }) => [draft.spec.id, index]))
    const ids = neededIds(open).filter((id) => !asking.has(id))
    return new NeedsOfRound(await heldSupplies(tx, ids), asking)
  }

  /** A job is made in this round. */
  add({ draft }: Asking, pk: number): void {
    this.#made.set(draft.spec.id, pk)
  }

  /**
   * Row keys of what a submission needs and what is over of it; null when something of its own round is not made yet; an error
   * when something does not exist. `isSettled` tells of a submission, by its place, whether no job will come of it any more.
   */
  of(entry: Asking, isSettled: (index: number) => boolean): Needed | StintError | null {
    const over: Supply[] = []
    const keys: number[] = []
    for (const id of needsOf(entry)) {
      const supply = this.#supplies.get(id)
      const index = this.#asking.get(id)
      const made = this.#made.get(id)
      if (supply !== undefined && supply.namespace === entry.draft.namespace) {
        keys.push(supply.pk)
        if (supply.isOver) over.push(supply)
      } else if (made !== undefined) keys.push(made)
      else if (index !== undefined && !isSettled(index)) return null
      else return unknownNeed(id, entry.draft.namespace)
    }
    return { keys, over }
  }
}

export interface Needed {
  readonly keys: readonly number[]
  readonly over: readonly Supply[]
}

export const nothingNeeded: Needed = { keys: [], over: [] }

/** What is still to come of it. */
export function openKeys({ keys, over }: Needed): readonly number[] {
  const settled = new Set(over.map(({ pk }) => pk))
  return keys.filter((pk) => !settled.has(pk))
}

/** What another namespace has is not to be seen, not even that it is there. */
export function unknownNeed(id: string, namespace: string): StintError {
  const rule = `must be a job or a slot of the namespace ${namespace}`
  return new StintError('not_found', `needs: ${id} ${rule}.`, { field: 'needs', rule, slot: id })
}

/** Of jobs that are made together, one was taken by others at the very moment: those that need it cannot be. */
export function requireMade(creations: readonly Creation[], inserted: ReadonlySet<number>): void {
  const missing = new Set(creations.map(({ after }) => after.guard.pk).filter((pk) => !inserted.has(pk)))
  if (missing.size === 0) return
  const orphan = creations.find(
    ({ after, waitsFor }) => inserted.has(after.guard.pk) && waitsFor.some((pk) => missing.has(pk)),
  )
  if (orphan === undefined) return
  const { id, name } = orphan.after.job
  throw new StintError(
    'conflict',
    `What job ${name} needs was taken by others at this moment; nothing was submitted.`,
    {
      jobId: id,
    },
  )
}
