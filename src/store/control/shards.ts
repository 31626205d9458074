import { StintError } from '../../core/errors.ts'
import { type ShardedSpec, shardMax } from '../../core/shard/sharded.ts'
import { checkArray, checkBoolean, checkInteger, checkLimit, checkObject, checkUuid } from '../check-input.ts'
import type { ShardControls } from '../controls.ts'
import type { ShardRow } from '../shards/shards.ts'
import { checkJsonText, checkOptionalTimeout, checkRetry } from '../submission.ts'
import type { Transaction } from '../transaction.ts'
import { requireHeld } from './require-held.ts'

type Input<N extends keyof ShardControls> = ShardControls[N]['input']

/** How many shards one call may bring, or ask for. */
export const shardPage = 2_000

export const shardControls = {
  'shard.plan': async (tx: Transaction, input: Input<'shard.plan'>) => {
    // Pages of a plan that was begun are written beside each other.
    const { job, guard } = await requireHeld(tx, input, { isShared: input.spec === undefined })
    if (job.shards !== null) throw new StintError('conflict', `Job ${job.id} is split already.`, { jobId: job.id })
    if (input.spec !== undefined) await tx.shards.begin(guard.pk, JSON.stringify(checkSpec(input.spec)))
    await tx.shards.add(guard.pk, checkShards(input.shards, 'shards'), false)
    await tx.shards.add(guard.pk, checkShards(input.adopted ?? [], 'adopted'), true)
    return null
  },
  'shard.get': async (tx: Transaction, input: Input<'shard.get'>) => {
    const [stored] = await tx.load([checkUuid(input.job, 'job')])
    const row = stored === undefined ? null : await tx.shards.find(stored.guard.pk)
    if (row === null) return null
    const { job: _job, spec, ...counts } = row
    return { ...counts, spec: JSON.parse(spec) as ShardedSpec }
  },
  'shard.list': async (tx: Transaction, input: Input<'shard.list'>) => {
    const [stored] = await tx.load([checkUuid(input.job, 'job')])
    if (stored === undefined) return []
    const from = checkInteger(input.from, 'from', 0, Number.MAX_SAFE_INTEGER)
    const adopted = checkBoolean(input.adopted, 'adopted')
    return await tx.shards.page(stored.guard.pk, { adopted, from, limit: checkLimit(input.limit) })
  },
  'shard.tasks': async (tx: Transaction, input: Input<'shard.tasks'>) => {
    const from = checkInteger(input.from, 'from', 0, shardMax)
    return await tx.shards.tasks(checkUuid(input.job, 'job'), from, checkInteger(input.limit, 'limit', 1, shardPage))
  },
}

function checkShards(given: unknown, field: string): readonly ShardRow[] {
  return checkArray(given, field, shardPage).map((shard, i) => {
    const { idx, state }: Partial<ShardRow> = checkObject(shard, `${field}[${i}]`)
    const text = checkJsonText(state ?? 'null', `${field}[${i}].state`) ?? 'null'
    return { idx: checkInteger(idx, `${field}[${i}].idx`, 0, shardMax - 1), state: text }
  })
}

function checkSpec(given: unknown): ShardedSpec {
  const { width, tolerate, retry, slice, timeoutMs }: Partial<ShardedSpec> = checkObject(given, 'spec')
  const policy = checkObject(slice, 'spec.slice') as ShardedSpec['slice']
  const atLeast = (value: unknown, field: string, min: number) => checkInteger(value, field, min, 1_000_000_000)
  return {
    width: atLeast(width, 'width', 1),
    tolerate: atLeast(tolerate, 'tolerate', 0),
    retry: checkRetry(retry),
    timeoutMs: checkOptionalTimeout(timeoutMs),
    slice: {
      maxFailures: atLeast(policy.maxFailures, 'slice.maxFailures', 1),
      baseMs: atLeast(policy.baseMs, 'slice.baseMs', 0),
      factor: policy.factor,
      capMs: atLeast(policy.capMs, 'slice.capMs', 0),
      maxIdle: atLeast(policy.maxIdle, 'slice.maxIdle', 1),
    },
  }
}
