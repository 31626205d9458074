import { Turns } from '../../src/core/gates/turns.ts'
import { overriding } from '../../src/engine/observed-store.ts'
import type { ClaimRequest, Store } from '../../src/store/store.ts'
import type { Planted } from './cluster.ts'
import type { ShareKind } from './cluster-options.ts'
import type { Mutant } from './mutants.ts'
import { patched } from './mutations.ts'

const shares: readonly ShareKind[] = ['bound', 'fair']

/** Claims are not what they were asked for. */
const claiming = (change: (request: ClaimRequest) => Partial<ClaimRequest>) => {
  return (store: Store) => overriding(store, { claim: (request) => store.claim({ ...request, ...change(request) }) })
}

const withShares = (planted: Planted) => (): Planted => ({ shares, ...planted })

/** Bugs of who takes which jobs. */
export const shareMutants: readonly Mutant[] = [
  {
    name: 'a store does not look at the paths of a claim',
    caughtBy: ['I17 WithinPaths'],
    plant: withShares({ inDatabase: claiming(() => ({ paths: null })) }),
  },
  {
    name: 'a worker does not say in its claims what it is bound to',
    caughtBy: ['I17 WithinPaths'],
    plant: withShares({ inWorker: claiming(() => ({ paths: null })) }),
  },
  {
    name: 'a worker is bound to whole namespaces',
    caughtBy: ['I17 WithinPaths'],
    on: 'sqlite',
    plant: withShares({
      inDatabase: claiming(({ paths }) => ({
        paths: paths?.map((path) => path.slice(0, 1) + path.split('/')[1]) ?? null,
      })),
    }),
  },
  {
    name: 'namespaces take no turns',
    caughtBy: ['I18 InTurns'],
    plant: withShares({ inDatabase: claiming(() => ({ fairness: null })) }),
  },
  {
    name: 'turns begin with the first namespace, whoever had the last one',
    caughtBy: ['I18 InTurns'],
    plant: withShares({ inDatabase: claiming(({ fairness }) => ({ fairness: fairness ? { after: null } : null })) }),
  },
  {
    name: 'who is first gets all turns',
    caughtBy: ['I18 InTurns'],
    on: 'sqlite',
    plant: withShares({}),
    patch: () => {
      const { shares: fairly } = Turns.prototype
      return patched(Turns.prototype, 'shares', function (this: Turns, turns) {
        return fairly.call(this, turns).map((share) => ({ ...share, count: turns }))
      })
    },
  },
  {
    name: 'jobs that were dealt do not come in the order of the turns',
    caughtBy: ['I18 InTurns'],
    on: 'sqlite',
    plant: withShares({}),
    patch: () => patched(Turns.prototype, 'inOrder', (jobs) => [...jobs].reverse()),
  },
]
