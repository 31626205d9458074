import type { Group } from '../../src/core/group/group.ts'
import { overriding } from '../../src/engine/observed-store.ts'
import type { StoredRecord } from '../../src/store/records.ts'
import { followUpKinds } from '../../src/store/transaction.ts'
import type { Planted } from './cluster.ts'
import { ModelMembers } from './model-members.ts'
import { ModelRecords } from './model-records.ts'
import { ModelStore } from './model-store.ts'
import { ModelTransaction } from './model-transaction.ts'
import type { Mutant } from './mutants.ts'
import { committing, patched, whileChanged } from './mutations.ts'

const withGroups = (): Planted => ({ groups: 3 })

const inModel = (change: Parameters<typeof planted>[0]): (() => Planted) => {
  return () => planted(change)
}

function planted(change: (store: ModelStore) => Parameters<typeof committing>[1]): Planted {
  return {
    ...withGroups(),
    inDatabase: (store) => {
      if (!(store instanceof ModelStore)) throw new Error('This bug is planted in the model.')
      return overriding(store, committing(store, change(store)))
    },
  }
}

function groupsOf(store: ModelStore): readonly StoredRecord<Group>[] {
  return store.data.records.values().filter(({ kind }) => kind === 'group') as readonly StoredRecord<Group>[]
}

/** Groups are saved as something makes them. */
function saved(change: (group: Group) => Group): () => void {
  const { save } = ModelRecords.prototype
  return patched(ModelRecords.prototype, 'save', function (this: ModelRecords, records) {
    const changed = records.map((record) => {
      return record.kind === 'group' ? { ...record, body: change(record.body as Group) } : record
    })
    save.call(this, changed)
  })
}

/** Bugs of groups. */
export const groupMutants: readonly Mutant[] = [
  {
    name: 'all members of a sequence have their turn at once',
    caughtBy: ['I19 GroupTurns', 'I10 Agreement'],
    plant: withGroups,
    patch: () => {
      const { release } = ModelMembers.prototype
      return patched(ModelMembers.prototype, 'release', function (this: ModelMembers, group) {
        return release.call(this, group, this.waiting(group, 1_000))
      })
    },
  },
  {
    name: 'a member begins before its group is sealed',
    caughtBy: ['I19 GroupTurns', 'I10 Agreement'],
    plant: inModel((store) => ({
      submit: async (submissions, options) => {
        const results = await store.submit(submissions, options)
        for (const result of results) {
          if (result.outcome !== 'created' || result.stored.job.groupId === null) continue
          store.data.waits.delete(result.stored.guard.pk)
          await store.apply([{ job: result.stored.job.id, command: { type: 'release' } }], options)
        }
        return results
      },
    })),
  },
  {
    name: 'a group that has stopped lets the next member have its turn',
    caughtBy: ['I19 GroupTurns', 'I10 Agreement'],
    plant: inModel((store) => ({
      apply: async (requests, options) => {
        const results = await store.apply(requests, options)
        for (const { pk, body, released } of groupsOf(store)) {
          const [next] = body.stopped && !released ? new ModelMembers(store.data).waiting(pk, 1) : []
          const job = store.data.jobs.get(next ?? 0)?.job
          if (next === undefined || job === undefined) continue
          store.data.waits.delete(next)
          await store.apply([{ job: job.id, command: { type: 'release' } }], options)
        }
        return results
      },
    })),
  },
  {
    name: 'those behind a failure are forgotten',
    caughtBy: ['I3 Quiesce', 'I10 Agreement'],
    plant: withGroups,
    patch: () => {
      const { addFollowUps } = ModelTransaction.prototype
      return patched(ModelTransaction.prototype, 'addFollowUps', function (this: ModelTransaction, followUps) {
        addFollowUps.call(
          this,
          followUps.filter(({ kind }) => kind !== followUpKinds.endMembers),
        )
      })
    },
  },
  {
    name: 'the width of a group is not looked at',
    caughtBy: ['I19 GroupTurns'],
    plant: inModel((store) => ({
      claim: async (request) => {
        const widened = <T extends object>(key: string, limit: T) => {
          return key.startsWith('group:') ? { ...limit, concurrency: null } : limit
        }
        return await whileChanged(store.data.limits, widened, () => store.claim(request))
      },
    })),
  },
  {
    name: 'a group forgets the turn when the member that has it is over',
    caughtBy: ['I3 Quiesce'],
    plant: withGroups,
    patch: () => saved((group) => ({ ...group, current: null, reached: group.lastSeq })),
  },
  {
    name: 'members that were cancelled are counted as completed',
    caughtBy: ['I20 GroupEnds', 'I10 Agreement'],
    plant: () => ({ ...withGroups(), faults: ['cancel'] }),
    patch: () =>
      saved((group) => {
        const { cancelled, completed } = group.counts
        return { ...group, counts: { ...group.counts, cancelled: 0, completed: completed + cancelled } }
      }),
  },
  {
    name: 'the end of a member is not told to its group',
    caughtBy: ['I20 GroupEnds'],
    plant: inModel((store) => ({
      apply: async (requests, options) => {
        const before = groupsOf(store)
        const results = await store.apply(requests, options)
        for (const record of before) store.data.records.set(record.pk, record)
        return results
      },
    })),
  },
  {
    name: 'a group does not know that it has started',
    caughtBy: ['I20 GroupEnds'],
    plant: withGroups,
    patch: () => {
      const { log } = ModelRecords.prototype
      return patched(ModelRecords.prototype, 'log', function (this: ModelRecords, entries) {
        log.call(
          this,
          entries.filter(({ event }) => event.type !== 'group.started'),
        )
      })
    },
  },
]
