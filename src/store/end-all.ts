import { step } from '../core/job/decide.ts'
import type { Job } from '../core/job/job.ts'
import { changeOf } from './change.ts'
import { childrenOf } from './children.ts'
import { writeWithEffects } from './effects.ts'
import type { EndOptions } from './end-options.ts'
import type { StoredJob } from './store.ts'
import type { Transaction } from './transaction.ts'

/**
 * Asks jobs to end and gives back those that have not ended yet. Each is written, also when it was asked before: so whoever
 * ends it at this moment finds it changed, reads again, and sees who waits for it.
 */
export async function endAll(
  tx: Transaction,
  pks: readonly number[],
  options: EndOptions,
): Promise<readonly StoredJob[]> {
  const live: StoredJob[] = []
  let open = pks
  while (open.length > 0) {
    const found = (await tx.loadByKey(open)).filter(({ job }) => job.state !== 'final')
    const parents = await childrenOf(tx, found)
    const changes = found.map((stored) => {
      const command = commandOf(stored.job, options, parents.has(stored.guard.pk))
      return changeOf(stored, step(stored.job, command, tx.now, { actor: options.actor }))
    })
    const written = await writeWithEffects(tx, changes)
    for (const { after } of changes) {
      if (written.has(after.guard.pk) && after.job.state !== 'final') live.push(after)
    }
    open = found.map(({ guard }) => guard.pk).filter((pk) => !written.has(pk))
  }
  return live
}

function commandOf({ state }: Job, { how, reason }: EndOptions, children: boolean) {
  if (how === 'skip' && state === 'initial') return { type: 'skip', reason, cancelled: true } as const
  return { type: 'cancel', reason, children } as const
}
