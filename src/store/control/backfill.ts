import { StintError } from '../../core/errors.ts'
import type { Context } from '../../core/job/commands.ts'
import { firesBetween } from '../../core/schedule/fires.ts'
import { parseTiming } from '../../core/schedule/parse-timing.ts'
import { checkBoolean, checkInstant, checkInteger, refuse } from '../check-input.ts'
import type { BackfillInput, BackfillItem, Fired, Reprocess } from '../controls.ts'
import type { Fire } from '../fires.ts'
import type { Transaction } from '../transaction.ts'
import { eventOf, fireOne } from './fire.ts'
import { writeStep } from './record-steps.ts'
import type { ScheduleRecord } from './schedule-record.ts'

const modes: readonly string[] = ['none', 'failed', 'all'] satisfies Reprocess[]

/** Fires for instants of a range, by page. Its jobs do not wait for each other, whatever the overlap policy says. */
export async function backfill(
  tx: Transaction,
  record: ScheduleRecord,
  input: BackfillInput,
  context: Context,
): Promise<{ items: readonly BackfillItem[]; next: number | null }> {
  const { from, to, reprocess, dryRun, after, limit } = checkBackfill(input, tx.now)
  if (record.body.status === 'DELETED') throw new StintError('not_found', `The schedule ${record.path} is deleted.`)
  const instants = firesBetween(parseTiming(record.body.timing), after ?? from - 1, to, limit)
  const known = new Map((await tx.fires.at(record.pk, instants)).map((fire) => [fire.at, fire]))
  const jobs = await madeJobs(
    tx,
    [...known.values()].flatMap(({ job }) => job ?? []),
  )
  const items: BackfillItem[] = []
  const fired: Fired[] = []
  for (const at of instants) {
    const fire = known.get(at) ?? null
    const job = fire?.job === undefined || fire.job === null ? null : (jobs.get(fire.job) ?? null)
    const action = actionOf(fire, job, reprocess)
    if (dryRun || action === 'keep') items.push({ at, action, jobId: job?.id ?? null, error: null })
    else {
      const made = await fireAgain(tx, record, at, job, context)
      fired.push(made)
      items.push({ at, action, jobId: made.jobId, error: made.error })
    }
  }
  const events = fired.map((each) => eventOf(each, { manual: true }))
  if (events.length > 0) await writeStep(tx, record, { body: record.body, events }, context)
  return { items, next: instants.length < limit ? null : (instants.at(-1) ?? null) }
}

/** The newest job that was made for an instant. */
interface Made {
  readonly pk: number
  /** Null when it was forgotten with its runs. */
  readonly id: string | null
  readonly isOver: boolean
  readonly isGood: boolean
}

/** Those that were pruned, too. How one ended that was forgotten with its runs nobody knows: it counts as good. */
async function madeJobs(tx: Transaction, pks: readonly number[]): Promise<ReadonlyMap<number, Made>> {
  const jobs = (await tx.loadByKey(pks)).map(({ job, guard: { pk } }): [number, Made] => {
    const isGood = job.outcome === 'COMPLETED' && !job.cancelled
    return [pk, { pk, id: job.id, isOver: job.state === 'final', isGood }]
  })
  const pasts = (await tx.pasts.load(pks)).map(({ pk, id, outcome }): [number, Made] => {
    return [pk, { pk, id, isOver: true, isGood: outcome === 'COMPLETED' }]
  })
  const forgotten = pks.map((pk): [number, Made] => [pk, { pk, id: null, isOver: true, isGood: true }])
  return new Map([...forgotten, ...pasts, ...jobs])
}

function actionOf(fire: Fire | null, made: Made | null, reprocess: Reprocess): BackfillItem['action'] {
  if (fire === null) return 'run'
  if (reprocess === 'none' || made?.isOver === false) return 'keep'
  return reprocess === 'all' || made?.isGood !== true ? 'again' : 'keep'
}

async function fireAgain(
  tx: Transaction,
  record: ScheduleRecord,
  at: number,
  before: Made | null,
  context: Context,
): Promise<Fired> {
  await tx.fires.add(record.pk, at)
  const retryOf = before?.id ?? null
  const again = { nth: before?.pk ?? 0, ...(retryOf === null ? {} : { retryOf }) }
  return await fireOne(tx, record, { at, overlap: 'allow', ...again }, context)
}

function checkBackfill(input: BackfillInput, now: number) {
  const from = checkInstant(input.from, 'from')
  const to = checkInstant(input.to, 'to')
  if (to < from) throw refuse('to', to, 'must not be before from')
  if (to > now) throw refuse('to', to, 'must have passed')
  const reprocess = input.reprocess ?? 'none'
  if (!modes.includes(reprocess)) throw refuse('reprocess', reprocess, `must be one of ${modes.join(', ')}`)
  return {
    from,
    to,
    reprocess,
    dryRun: checkBoolean(input.dryRun ?? false, 'dryRun'),
    after: input.after === undefined || input.after === null ? null : checkInstant(input.after, 'after'),
    limit: checkInteger(input.limit, 'limit', 1, 1_000),
  }
}
