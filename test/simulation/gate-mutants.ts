import { roomOf } from '../../src/core/gates/limit.ts'
import { JobName } from '../../src/core/names/job-name.ts'
import { overriding } from '../../src/engine/observed-store.ts'
import { SqliteGates } from '../../src/store/sqlite/gates.ts'
import type { Store, StoredJob } from '../../src/store/store.ts'
import type { Permit } from '../../src/store/transaction.ts'
import type { Planted } from './cluster.ts'
import type { GateKind } from './cluster-options.ts'
import { ModelGates } from './model-gates.ts'
import { ModelStore } from './model-store.ts'
import type { Mutant } from './mutants.ts'
import { committing, patched, whileChanged } from './mutations.ts'

const allGates: readonly GateKind[] = ['limits', 'pauses', 'moves']

const withGates = (): Planted => ({ gates: allGates })

const inModel = (change: (store: ModelStore) => Partial<Store>, gates = allGates): (() => Planted) => {
  return () => ({
    gates,
    faults: ['kill'],
    inDatabase: (store) => {
      if (!(store instanceof ModelStore)) throw new Error('This bug is planted in the model.')
      return overriding(store, committing(store, change(store)))
    },
  })
}

/** Jobs of SQLite that wait at some gates stay there, whoever opens them. */
function stuckAt(isStuck: (gate: number) => boolean): () => void {
  const { openGate } = SqliteGates.prototype
  return patched(SqliteGates.prototype, 'openGate', function (this: SqliteGates, gate, count) {
    return isStuck(gate) ? 0 : openGate.call(this, gate, count)
  })
}

/** Limits of SQLite open for nobody while a method runs. */
function deafWhile(method: 'setLimit' | 'apply'): Pick<Mutant, 'plant' | 'patch'> {
  let isDeaf = false
  return {
    patch: () => stuckAt((gate) => isDeaf && gate > 0),
    plant: () => ({
      gates: ['limits'],
      inDatabase: (store) => {
        const call = store[method].bind(store) as (...args: readonly unknown[]) => Promise<unknown>
        const deaf = async (...args: readonly unknown[]) => {
          isDeaf = true
          return await call(...args).finally(() => {
            isDeaf = false
          })
        }
        return overriding(store, { [method]: deaf })
      },
    }),
  }
}

function forget(store: ModelStore, isForgotten: (permit: Permit, stored: StoredJob | undefined) => boolean): void {
  for (const [pk, permit] of store.data.permits.entries()) {
    if (isForgotten(permit, store.data.jobs.get(permit.job))) store.data.permits.delete(pk)
  }
}

const ofLimits: readonly Mutant[] = [
  {
    name: 'a limit is counted before a batch and not while it passes',
    caughtBy: ['I13 WithinLimits'],
    plant: inModel((store) => ({
      claim: async (request) => {
        const open = new Set((await store.limits()).filter((limit) => roomOf(limit) > 0).map(({ key }) => key))
        const widened = <T extends object>(key: string, limit: T) => {
          return open.has(key) ? { ...limit, concurrency: null } : limit
        }
        return await whileChanged(store.data.limits, widened, () => store.claim(request))
      },
    })),
  },
  {
    name: 'what a lost attempt held is never freed',
    caughtBy: ['I3 Quiesce', 'I15 NothingHeld'],
    plant: inModel((store) => ({
      apply: async (requests, options) => {
        const lost = requests.filter(({ command }) => command.type === 'lose').map(({ job }) => job)
        const pks = new Set(lost.map((job) => (typeof job === 'string' ? store.data.ids.get(job) : job.guard.pk)))
        const held = store.data.permits.entries().filter(([, { kind, job }]) => kind === 0 && pks.has(job))
        const results = await store.apply(requests, options)
        for (const [pk, permit] of held) store.data.permits.set(pk, permit)
        return results
      },
    })),
  },
  {
    name: 'an attempt that waits for something outside holds no limit',
    // The width of a group is a limit, too.
    caughtBy: ['I13 WithinLimits', 'I19 GroupTurns'],
    plant: inModel((store) => ({
      apply: async (requests, options) => {
        const results = await store.apply(requests, options)
        forget(store, ({ kind }, stored) => kind === 0 && stored?.job.phase === 'awaiting')
        return results
      },
    })),
  },
  {
    name: 'a rate forgets a start when the job ends',
    caughtBy: ['I13 WithinLimits'],
    plant: inModel((store) => ({
      apply: async (requests, options) => {
        const results = await store.apply(requests, options)
        forget(store, ({ kind }, stored) => kind === 1 && stored?.job.state === 'final')
        return results
      },
    })),
  },
  {
    name: 'a new limit of a path does not count what runs there already',
    caughtBy: ['I13 WithinLimits'],
    plant: withGates,
    patch: () => patched(ModelGates.prototype, 'holdRunningBelow', () => []),
  },
  {
    name: 'a gate of a path goes by letters and not by components',
    caughtBy: ['I3 Quiesce', 'I16 InOrder', 'I17 WithinPaths', 'I18 InTurns'],
    plant: withGates,
    patch: () =>
      patched(JobName.prototype, 'isAncestorOf', function (this: JobName, other) {
        return other.text.startsWith(this.text)
      }),
  },
  {
    name: 'a limit that is raised leaves those who wait at it where they are',
    caughtBy: ['I3 Quiesce'],
    on: 'sqlite',
    ...deafWhile('setLimit'),
  },
  {
    name: 'the end of an attempt lets nobody go on who waits for its limit',
    caughtBy: ['I3 Quiesce'],
    on: 'sqlite',
    ...deafWhile('apply'),
  },
]

const ofPauses: readonly Mutant[] = [
  {
    name: 'a pause does not hold for what was submitted after it',
    caughtBy: ['I14 PausedStays'],
    plant: inModel((store) => ({
      claim: async (request) => {
        const claimed = await store.claim(request)
        if (claimed.length > 0) return claimed
        const since = Math.max(...store.data.pauses.values().map((pause) => pause.since))
        const late = (_: number, stored: StoredJob) => {
          return stored.job.phase === 'queued' && stored.job.createdAt <= since ? null : stored
        }
        const claimLate = () => whileChanged(store.data.jobs, late, () => store.claim(request))
        return await whileChanged(store.data.pauses, () => null, claimLate)
      },
    })),
  },
  {
    name: 'a claim does not ask whether a type is paused',
    caughtBy: ['I14 PausedStays'],
    plant: inModel((store) => ({
      claim: async (request) => {
        const ofPaths = <T extends { readonly type: string | null }>(_: string, pause: T) => {
          return pause.type === null ? pause : null
        }
        return await whileChanged(store.data.pauses, ofPaths, () => store.claim(request))
      },
    })),
  },
  {
    name: 'a resumed branch leaves its jobs where they are',
    caughtBy: ['I3 Quiesce', 'I16 InOrder'],
    on: 'sqlite',
    plant: withGates,
    patch: () => stuckAt((gate) => gate < 0),
  },
]

const ofMoves: readonly Mutant[] = [
  {
    name: 'a claim goes by the place that a job had before it was moved',
    caughtBy: ['I16 InOrder'],
    plant: inModel(
      (store) => {
        const places = new Map<number, Pick<StoredJob['job'], 'priority' | 'position'>>()
        const put = (pk: number, { priority, position }: Pick<StoredJob['job'], 'priority' | 'position'>) => {
          const stored = store.data.jobs.get(pk)
          if (stored !== undefined) store.data.jobs.set(pk, { ...stored, job: { ...stored.job, priority, position } })
        }
        return {
          move: async (request, options) => {
            const before = store.data.jobs.get(store.data.ids.get(request.jobId) ?? 0)
            const moved = await store.move(request, options)
            if (before !== undefined && !places.has(before.guard.pk)) places.set(before.guard.pk, before.job)
            return moved
          },
          claim: async (request) => {
            const now = [...places.keys()].flatMap((pk) => store.data.jobs.get(pk) ?? [])
            for (const [pk, place] of places) put(pk, place)
            const claimed = await store.claim(request)
            for (const { guard, job } of now) put(guard.pk, job)
            return claimed.flatMap(({ guard }) => store.data.jobs.get(guard.pk) ?? [])
          },
        }
      },
      ['moves'],
    ),
  },
]

/** Bugs of gates, at least one for each. */
export const gateMutants: readonly Mutant[] = [...ofLimits, ...ofPauses, ...ofMoves]
