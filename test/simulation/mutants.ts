import type { Clock } from '../../src/engine/clock.ts'
import { overriding } from '../../src/engine/observed-store.ts'
import type { ApplyRequest, HeartbeatRequest, OrphansPage, Store, StoredJob } from '../../src/store/store.ts'
import type { Planted } from './cluster.ts'
import type { FaultKind } from './cluster-options.ts'
import { gateMutants } from './gate-mutants.ts'
import { groupMutants } from './group-mutants.ts'
import { nameHandle } from './model-data.ts'
import { ModelStore } from './model-store.ts'
import type { Database } from './seeds.ts'
import { shardMutants } from './shard-mutants.ts'
import { shareMutants } from './share-mutants.ts'
import { slotMutants } from './slot-mutants.ts'

export interface Mutant {
  readonly name: string
  /** The invariants that may be the first to break. */
  readonly caughtBy: readonly string[]
  /** Made anew for every run: a mutant may remember. */
  readonly plant: () => Planted
  /** The database that has it. Default the model. */
  readonly on?: Database
  /** Changes code that stores share, and gives back how to undo it. */
  readonly patch?: () => () => void
}

/** What makes workers lose their jobs without knowing it. */
const faults: readonly FaultKind[] = ['pause', 'partition', 'oneWay', 'lateApply', 'replyLost']

const inWorker = (change: (store: Store) => Partial<Store>): (() => Planted) => {
  return () => ({ faults, inWorker: (store) => overriding(store, change(store)) })
}

const inDatabase = (change: (store: ModelStore) => Partial<Store>): (() => Planted) => {
  return () => ({
    faults,
    inDatabase: (store) => {
      if (!(store instanceof ModelStore)) throw new Error('Bugs of a database are planted in the model.')
      return overriding(store, change(store))
    },
  })
}

function idOf({ job }: ApplyRequest): string {
  return typeof job === 'string' ? job : job.job.id
}

/** A worker or rescue that reads the job once more and writes with whatever token it finds. */
async function withFreshTokens(store: Store, requests: readonly ApplyRequest[], types: readonly string[]) {
  const found = await store.find(requests.map((request) => ({ id: idOf(request) })))
  return requests.map((request, i): ApplyRequest => {
    const { command } = request
    const token = found[i]?.job.token
    if (!types.includes(command.type) || !('token' in command) || !token) return request
    return { ...request, job: idOf(request), command: { ...command, token } }
  })
}

function anyRunning(store: ModelStore): readonly StoredJob[] {
  return store.data.jobs.values().filter(({ job }) => job.phase === 'running')
}

/** Renews a lease and takes no notice of the answer. */
function deafHeartbeat(store: Store, clock: Clock, request: HeartbeatRequest): () => void {
  const stop = new AbortController()
  const beat = async () => {
    while (!stop.signal.aborted) {
      await store.renew(request).catch(() => false)
      await clock.sleep(request.leaseMs / 3, stop.signal)
    }
  }
  void beat()
  return () => stop.abort()
}

/** Completions by way of `apply`, for mutants of it. */
function completingBy(apply: Store['apply']): Store['complete'] {
  return async (completions, options) => {
    const requests = completions.map(({ job, result }): ApplyRequest => {
      const ending = { kind: 'completed', resultDigest: null } as const
      return { job, command: { type: 'finish', token: job.job.token ?? '', ending }, result }
    })
    return { at: options?.now ?? 0, done: (await apply(requests, options)).map(({ ok }) => ok) }
  }
}

const inWorkers: readonly Mutant[] = [
  {
    name: 'an end is written with the token that is current, not with its own',
    caughtBy: ['I4 Fenced'],
    plant: inWorker((store) => {
      const apply: Store['apply'] = async (requests, options) => {
        return await store.apply(await withFreshTokens(store, requests, ['finish', 'giveBack']), options)
      }
      return { apply, complete: completingBy(apply) }
    }),
  },
  {
    name: 'a rescue goes by an old list and takes the job from whoever has it by now',
    caughtBy: ['I11 OnlyTheLost'],
    plant: inWorker((store) => {
      let last: OrphansPage['attempts'] = []
      return {
        orphans: async (request) => {
          const { attempts, next } = await store.orphans(request)
          const old = last
          last = attempts
          return { attempts: [...attempts, ...old], next }
        },
        apply: async (requests, options) => {
          return await store.apply(await withFreshTokens(store, requests, ['lose']), options)
        },
      }
    }),
  },
  {
    name: 'a rescue ends at its first error',
    caughtBy: ['I3 Quiesce'],
    plant: inWorker((store) => {
      let isDead = false
      return {
        buryLost: async (options) => {
          if (isDead) return []
          return await store.buryLost(options).catch((error: unknown) => {
            isDead = true
            throw error
          })
        },
      }
    }),
  },
  {
    name: 'a worker takes suspects as it takes others',
    caughtBy: ['I8 OneSuspect'],
    plant: inWorker((store) => ({ claim: (request) => store.claim({ ...request, suspectLimit: 10 }) })),
  },
  {
    name: 'a worker that was found lost goes on under its old id',
    caughtBy: ['I3 Quiesce'],
    plant: () => ({
      faults,
      inWorker: (store, { clock }) =>
        overriding(store, { heartbeat: (request) => deafHeartbeat(store, clock, request) }),
    }),
  },
  {
    name: 'every job that was lost with others is charged as if it had been alone',
    caughtBy: ['I5 Bounded'],
    plant: inWorker((store) => ({
      orphans: async (request) => {
        const { attempts, next } = await store.orphans(request)
        return { attempts: attempts.map((attempt) => ({ ...attempt, alone: true })), next }
      },
    })),
  },
  {
    name: 'a submitter makes a new id when it sends again',
    caughtBy: ['I6 OneJob'],
    plant: () => ({
      habits: { again: (submission, random) => ({ ...submission, id: random.uuid(1_800_000_000_000) }) },
    }),
  },
]

const inDatabases: readonly Mutant[] = [
  {
    name: 'the loss of an attempt is never charged',
    caughtBy: ['I3 Quiesce'],
    plant: inDatabase((store) => ({
      apply: (requests, options) => {
        const uncharged = requests.map((request): ApplyRequest => {
          const { command } = request
          return command.type === 'lose' ? { ...request, command: { type: 'giveBack', token: command.token } } : request
        })
        return store.apply(uncharged, options)
      },
    })),
  },
  {
    name: 'rescue finds every running job',
    caughtBy: ['I11 OnlyTheLost'],
    plant: inDatabase((store) => ({
      orphans: () => {
        const attempts = anyRunning(store).map(({ job }) => ({ jobId: job.id, token: job.token ?? '', alone: false }))
        return Promise.resolve({ attempts, next: null })
      },
    })),
  },
  {
    name: 'a job is released while what its failed attempt submitted still runs',
    caughtBy: ['I9 ChildrenFirst'],
    plant: inDatabase((store) => ({
      followUp: async (request) => {
        const more = await store.followUp(request)
        const waiting = store.data.jobs.values().filter(({ job }) => job.phase === 'pending' && job.state === 'error')
        for (const { guard, job } of waiting) {
          store.data.waits.delete(guard.pk)
          await store.apply([{ job: job.id, command: { type: 'release' } }], request)
        }
        return more
      },
    })),
  },
  {
    name: 'follow-ups are never carried out',
    caughtBy: ['I3 Quiesce'],
    plant: inDatabase(() => ({ followUp: () => Promise.resolve(false) })),
  },
  {
    name: 'nothing is ever overdue',
    caughtBy: ['I3 Quiesce'],
    plant: inDatabase(() => ({ overdue: () => Promise.resolve({ jobIds: [], next: null }) })),
  },
  {
    name: 'a submission is acknowledged and not kept',
    caughtBy: ['I0 Durable'],
    plant: inDatabase((store) => {
      let calls = 0
      return {
        submit: (submissions, options) => {
          calls += 1
          return (calls % 4 === 0 ? new ModelStore() : store).submit(submissions, options)
        },
      }
    }),
  },
  {
    name: 'a name is free while its job still lives',
    caughtBy: ['I7 OneHolder'],
    plant: inDatabase((store) => ({
      submit: (submissions, options) => {
        for (const { name } of submissions) store.data.handles.delete(nameHandle(name))
        return store.submit(submissions, options)
      },
    })),
  },
  {
    name: 'a write is lost after it was acknowledged',
    caughtBy: ['I10 Agreement'],
    plant: inDatabase((store) => {
      const apply: Store['apply'] = async (requests, options) => {
        const running = anyRunning(store)
        const results = await store.apply(requests, options)
        for (const stored of running) {
          const isOver = store.data.jobs.get(stored.guard.pk)?.job.state === 'final'
          if (isOver) store.data.jobs.set(stored.guard.pk, stored)
        }
        return results
      }
      return { apply, complete: completingBy(apply) }
    }),
  },
  {
    name: 'an attempt that lost its job still reports',
    caughtBy: ['I4 Fenced'],
    plant: inDatabase((store) => ({
      report: async (reports, options) => (await store.report(reports, options)).map(() => true),
    })),
  },
  {
    name: 'an attempt that lost its job still submits',
    caughtBy: ['I4 Fenced'],
    plant: inDatabase((store) => ({
      submit: (submissions, options) => {
        const held = new Set(anyRunning(store).map(({ job }) => job.token))
        const asked = submissions.map((submission) => {
          return held.has(submission.parent?.token ?? '') ? submission : { ...submission, parent: null }
        })
        return store.submit(asked, options)
      },
    })),
  },
  {
    name: 'a worker that registers a second time is refused',
    caughtBy: ['I3 Quiesce'],
    plant: inDatabase((store) => ({
      register: (worker, options) => {
        const isKnown = store.data.workers.has(worker.id)
        return isKnown ? Promise.reject(new Error('This id is taken.')) : store.register(worker, options)
      },
    })),
  },
  {
    name: 'a lost worker is still given jobs',
    caughtBy: ['I12 NoneToTheLost'],
    plant: inDatabase((store) => ({
      claim: async (request) => {
        const worker = store.data.workers.get(request.workerId)
        if (worker !== undefined) store.data.workers.set(worker.id, { ...worker, lostAt: null })
        const claimed = await store.claim(request)
        if (worker !== undefined) store.data.workers.set(worker.id, worker)
        return claimed
      },
    })),
  },
]

export const mutants: readonly Mutant[] = [
  ...inWorkers,
  ...inDatabases,
  ...gateMutants,
  ...shareMutants,
  ...groupMutants,
  ...shardMutants,
  ...slotMutants,
]
