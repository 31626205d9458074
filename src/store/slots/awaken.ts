import { StintError } from '../../core/errors.ts'
import type { Command } from '../../core/job/commands.ts'
import { step } from '../../core/job/decide.ts'
import type { Resolved } from '../../core/job/events.ts'
import { sanitisedText } from '../../core/json.ts'
import { isUnresolved, type Need, type Placed, type UpstreamFailure, withValues } from '../../core/slot/needs.ts'
import { changeOf } from '../change.ts'
import { attempt } from '../check-input.ts'
import { childrenOf } from '../children.ts'
import { digestOf } from '../digest.ts'
import type { StoredJob } from '../store.ts'
import type { Change, Transaction } from '../transaction.ts'
import { awaitedBy, type Supply, suppliesOf } from './supply.ts'

/**
 * What becomes of jobs that wait for nothing more: they can run, with the values that they needed in their params, or they end
 * with the value that was to be their result.
 */
export async function awaken(
  tx: Transaction,
  jobs: readonly StoredJob[],
  known: readonly Supply[],
): Promise<readonly Change[]> {
  const supplies = await suppliesOf(tx, [...new Set(jobs.flatMap(({ job }) => awaitedBy(job)))], known)
  const parents = await childrenOf(
    tx,
    jobs.filter(({ job }) => job.phase === 'awaiting'),
  )
  return jobs.map((stored) => {
    if (stored.job.phase === 'awaiting') return received(tx, stored, supplies, parents.has(stored.guard.pk))
    return isUnresolved(stored.job) ? resolved(tx, stored, supplies) : released(tx, stored, { type: 'release' })
  })
}

function released(tx: Transaction, stored: StoredJob, command: Command, params = stored.params): Change {
  return changeOf(stored, step(stored.job, command, tx.now), { params })
}

type Supplies = ReadonlyMap<string, Supply>

function received(tx: Transaction, stored: StoredJob, supplies: Supplies, children: boolean): Change {
  const supply = supplies.get(stored.job.output ?? '')
  const error = supply === undefined ? 'What was to be its result is gone.' : supply.error
  const result = error === null ? (supply?.value ?? null) : null
  const command = { type: 'receive', resultDigest: digestOf(result), error, children } as const
  const cause = supply === undefined ? {} : { cause: supply.id }
  return changeOf(stored, step(stored.job, command, tx.now, cause), { result })
}

function resolved(tx: Transaction, stored: StoredJob, supplies: Supplies): Change {
  const needs = stored.job.needs?.list ?? []
  const values = needs.flatMap((need): readonly Placed[] => {
    return need.at === null ? [] : [{ at: need.at, value: supplies.get(need.of)?.value ?? null }]
  })
  const upstream = needs.flatMap((need) => failureOf(need, supplies.get(need.of)))
  const params = attempt(() => withValues(stored.params, values))
  if (params instanceof StintError) {
    // Nobody is there who could be told. It cannot run, and its attempt will say why.
    const refused = { of: stored.job.id, name: stored.job.name, at: null, error: params.message }
    return released(tx, stored, release(stored, stored.params, [...upstream, refused]))
  }
  return released(tx, stored, release(stored, params, upstream), params)
}

function release({ params: replaced }: StoredJob, params: string | null, upstream: Resolved['upstream']): Command {
  const changed = params === replaced ? null : { digest: digestOf(params), replaced }
  return { type: 'release', resolved: { params: changed, upstream } }
}

function failureOf({ of, at }: Need, supply: Supply | undefined): readonly UpstreamFailure[] {
  if (supply === undefined) return [{ of, name: of, at, error: `${of} is gone.` }]
  return supply.error === null ? [] : [{ of, name: supply.name, at, error: supply.error }]
}

/** Jobs that need one of these, which will never have a value, and cannot do without: they are over. */
export function doomed(
  tx: Transaction,
  jobs: readonly StoredJob[],
  failed: readonly Pick<Supply, 'id' | 'error'>[],
): readonly Change[] {
  return jobs.flatMap((stored) => {
    const { job } = stored
    if (job.phase !== 'pending' || !isUnresolved(job) || job.needs.onFailure !== 'skip') return []
    const { list } = job.needs
    const cause = failed.find(({ id }) => list.some(({ of }) => of === id))
    if (cause === undefined) return []
    const reason = sanitisedText(`upstream: ${cause.error}`, reasonMax)
    return [changeOf(stored, step(job, { type: 'skip', reason, cancelled: true }, tx.now, { cause: cause.id }))]
  })
}

const reasonMax = 1_000
