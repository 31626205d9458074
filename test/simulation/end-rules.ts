import type { Store, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import type { Acknowledged } from './clients.ts'
import type { Mirror } from './mirror.ts'
import { checkValues } from './slot-rules.ts'
import { type ShardedTask, shardTolerance, sumOfTasks, type Task } from './workload.ts'

interface End {
  /** The database itself. */
  readonly store: Store
  readonly mirror: Mirror
  readonly acknowledged: Acknowledged
  readonly now: number
}

/** What must be so when all work is done. */
export async function checkEnd(end: End): Promise<void> {
  await checkRest(end)
  await checkLimits(end)
  await end.mirror.groups.checkRest(end.store)
  await checkSubmissions(end)
  checkCompleted(end)
  const differences = await verify(end.store)
  if (differences.length > 0) throw new BrokenInvariant('I10 Agreement', JSON.stringify(differences))
}

/** Nobody holds anything, and nothing is left to be done. */
async function checkRest({ store, now }: End): Promise<void> {
  const { attempts } = await store.orphans({ after: null, limit: 100 })
  if (attempts.length > 0) throw new BrokenInvariant('I3 Quiesce', `Orphans are left: ${JSON.stringify(attempts)}`)
  if (await store.followUp({ limit: 1, now })) throw new BrokenInvariant('I3 Quiesce', 'A follow-up is left.')
  const { jobIds } = await store.overdue({ after: null, limit: 100, now: now + 86_400_000 })
  if (jobIds.length > 0) throw new BrokenInvariant('I3 Quiesce', `Deadlines are left: ${jobIds.join(', ')}`)
}

/** No attempt is open any more: nobody holds a limit, and nobody waits at one. */
async function checkLimits({ store }: End): Promise<void> {
  for (const limit of await store.limits()) {
    if (limit.held === 0 && limit.waiting === 0) continue
    throw new BrokenInvariant('I15 NothingHeld', `All is over, and this is left: ${JSON.stringify(limit)}`)
  }
}

/** What was acknowledged is there, and of what was sent again one job has come. */
async function checkSubmissions({ store, acknowledged, mirror }: End): Promise<void> {
  for (const { intention, jobId } of acknowledged.submissions) {
    if (jobId === null || mirror.get(jobId) !== undefined) continue
    throw new BrokenInvariant('I0 Durable', `Submission ${intention} was acknowledged as ${jobId}, which is not there.`)
  }
  const byIntention = new Map<number, string>()
  for (const { job } of mirror.all()) {
    const [stored] = await store.find([{ id: job.id }])
    if (stored === null || stored === undefined) {
      throw new BrokenInvariant('I0 Durable', `The log tells of ${job.id}, which is not there.`)
    }
    checkSum(stored, mirror)
    await checkValues(store, stored)
    const task = JSON.parse(stored.params ?? '{}') as Partial<Task>
    if (task.kind === 'poison' && job.outcome === 'COMPLETED') {
      throw new BrokenInvariant('I5 Bounded', `${job.id} kills its process, and it is said to be completed.`)
    }
    if (typeof task.intention !== 'number') continue
    const other = byIntention.get(task.intention)
    if (other !== undefined) {
      throw new BrokenInvariant('I6 OneJob', `Submission ${task.intention} became ${other} and ${job.id}.`)
    }
    byIntention.set(task.intention, job.id)
  }
}

/** The result of a sharded job is made of every slice, once. */
function checkSum({ job, params, result }: StoredJob, mirror: Mirror): void {
  if (job.type !== 'c' || job.task !== null || job.outcome !== 'COMPLETED') return
  const given = JSON.parse(params ?? '{}') as ShardedTask
  const tasks = mirror.jobs().filter(({ task }) => task?.of === job.id)
  const done = tasks.filter(({ outcome, cancelled }) => outcome === 'COMPLETED' && !cancelled)
  if (tasks.length !== given.shards || tasks.length - done.length > shardTolerance) {
    const told = `${done.length} of ${tasks.length} tasks are done, there should be ${given.shards}`
    throw new BrokenInvariant('I23 ShardSum', `${job.id} is completed, and ${told}.`)
  }
  const expected = sumOfTasks(
    given,
    done.map(({ task }) => task?.index ?? 0),
  )
  if (result === String(expected)) return
  throw new BrokenInvariant('I23 ShardSum', `${job.id} should give ${expected}, and gave ${result}.`)
}

function checkCompleted({ acknowledged, mirror }: End): void {
  for (const id of acknowledged.completed) {
    const outcome = mirror.get(id)?.job.outcome
    if (outcome === 'COMPLETED') continue
    throw new BrokenInvariant('I0 Durable', `A worker was told that ${id} is completed, and it is ${outcome}.`)
  }
}
