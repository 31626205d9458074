import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byBytes, countMax } from '../../src/store/reads/tree.ts'
import type { Store, TreeNode } from '../../src/store/store.ts'
import { cancel } from '../support/children.ts'
import { accepted, type Setup, submission, submitOne } from '../support/fixture.ts'
import { submitMany, times } from '../support/racing.ts'
import { claimOf, codeOf, completion, failure } from '../support/requests.ts'
import { noTexts, strangeTexts, unstorableTexts } from '../support/zoo.ts'
import { split } from './shards.ts'

async function submitNamed(store: Store, names: readonly string[]): Promise<void> {
  for (const result of await store.submit(names.map((name) => submission({ name })))) accepted(result)
}

/** All children of a path, page by page. */
async function childrenOf(store: Store, path: string | null, limit = 100): Promise<readonly TreeNode[]> {
  const nodes: TreeNode[] = []
  let after: string | null = null
  do {
    const page = await store.tree({ path, after, limit })
    expect(page.nodes.length).toBeLessThanOrEqual(limit)
    nodes.push(...page.nodes)
    after = page.next
  } while (after !== null)
  return nodes
}

const shown = ({ path, job, branch, live, finished }: TreeNode) => {
  return [path, job, branch, live.count, finished.count] as const
}

/** What the names themselves say, of jobs that are all live. */
function expected(names: readonly string[], path: string | null) {
  const prefix = `${path ?? ''}/`
  const below = names.filter((name) => name.startsWith(prefix))
  const parts = Map.groupBy(below, (name) => name.slice(prefix.length).split('/')[0] ?? '')
  const nodes = [...parts].map(([part, found]) => {
    const own = prefix + part
    return [own, found.includes(own), found.some((name) => name !== own), found.length, 0] as const
  })
  return nodes.sort((a, b) => byBytes(a[0], b[0]))
}

export function treeContract(setup: Setup): void {
  describe('the tree of names', () => {
    it('has namespaces for roots, and nothing where there is nothing', async () => {
      const { store } = await setup()
      expect(await store.tree({ path: null, limit: 10 })).toEqual({ nodes: [], next: null })
      await submitNamed(store, ['/b/x', '/a/y', '/a/y/z', '/a-b/x', '/a'])
      expect((await childrenOf(store, null)).map(shown)).toEqual([
        ['/a', true, true, 3, 0],
        ['/a-b', false, true, 1, 0],
        ['/b', false, true, 1, 0],
      ])
      expect(await store.tree({ path: '/nobody', limit: 10 })).toEqual({ nodes: [], next: null })
      expect(await store.tree({ path: '/b/x', limit: 10 })).toEqual({ nodes: [], next: null })
    })

    it('has each component once, also where other names stand between a job and its branch', async () => {
      const { store } = await setup()
      const names = [
        '/a/daily',
        '/a/daily-x',
        '/a/daily.y',
        '/a/daily/z',
        '/a/daily0',
        '/a/dail',
        '/a/d-1-2/x',
        '/a/d/x',
      ]
      await submitNamed(store, names)
      for (const limit of [1, 2, 3, 100]) {
        expect((await childrenOf(store, '/a', limit)).map(shown), String(limit)).toEqual(expected(names, '/a'))
      }
    })

    it('has names of any signs in the order of bytes', async () => {
      const { store } = await setup()
      const parts = strangeTexts.filter((text) => text.trim() !== '' && !/[/\p{Cc}]/u.test(text) && text !== '0')
      const names = parts.flatMap((part) => [`/a/${part}`, `/a/${part}/b`])
      await submitNamed(store, names)
      expect((await childrenOf(store, '/a', 7)).map(shown)).toEqual(expected(names, '/a'))
    })

    it('is what the names say, whatever they are', { timeout: 300_000 }, async () => {
      const { store } = await setup()
      const part = fc.string({
        unit: fc.constantFrom('a', 'b', '-', '.', '0', '1', '~', 'é'),
        minLength: 1,
        maxLength: 4,
      })
      const rest = fc.array(
        part.filter((text) => !/^\d+$/.test(text)),
        { minLength: 1, maxLength: 3 },
      )
      let nth = 0
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(rest, { selector: String, maxLength: 25 }), fc.nat(4), async (parts, more) => {
          const root = `/r${nth++}`
          const names = parts.map((each) => `${root}/${each.join('/')}`)
          await submitNamed(store, names)
          const paths = [root, ...names.map((name) => name.slice(0, name.lastIndexOf('/')))]
          for (const path of new Set(paths)) {
            expect((await childrenOf(store, path, more + 1)).map(shown)).toEqual(expected(names, path))
          }
        }),
        { numRuns: 25 },
      )
    })

    it('counts jobs that are over apart, however they ended', async () => {
      const { store } = await setup()
      await submitMany(store, 4, { retry: { maxAttempts: 1 } })
      const [completed, fast, failed, running] = await store.claim(claimOf())
      if (!completed || !fast || !failed || !running) throw new Error('Too few.')
      const skipped = await submitOne(store)
      const cancelled = await submitOne(store)
      const namespace = `/${completed.guard.namespace}`
      await store.apply([
        completion(completed),
        failure(failed),
        { job: skipped, command: { type: 'skip', reason: 'x', cancelled: false } },
        cancel(cancelled),
      ])
      expect((await store.complete([{ job: fast, result: null }])).done).toEqual([true])
      // The same name once more.
      accepted((await store.submit([submission({ name: completed.job.name })]))[0])
      const nodes = await childrenOf(store, namespace)
      const counts = new Map(nodes.map(({ path, live, finished }) => [path, [live.count, finished.count]]))
      expect(counts.get(completed.job.name)).toEqual([1, 1])
      expect(counts.get(fast.job.name)).toEqual([0, 1])
      expect(counts.get(failed.job.name)).toEqual([0, 1])
      expect(counts.get(running.job.name)).toEqual([1, 0])
      expect([counts.get(skipped.job.name), counts.get(cancelled.job.name)]).toEqual([
        [0, 1],
        [0, 1],
      ])
      const [root] = await childrenOf(store, null)
      expect(root).toMatchObject({ live: { count: 2, more: false }, finished: { count: 5, more: false } })
    })

    it('counts no further than it must', { timeout: 300_000 }, async () => {
      const { store } = await setup()
      const names = times(countMax, (i) => `/a/live/n${i}`)
      await submitNamed(store, names)
      expect((await childrenOf(store, '/a'))[0]).toMatchObject({ live: { count: countMax, more: false } })
      const [first] = await store.claim(claimOf({ limit: 1 }))
      await store.complete([{ job: first as never, result: null }])
      await submitNamed(store, ['/a/live/m', '/a/live/o'])
      // As many live ones as cannot be counted, and one that is over: it is found because it is among the first.
      expect((await childrenOf(store, '/a')).map(({ live, finished }) => [live, finished])).toEqual([
        [
          { count: countMax, more: true },
          { count: 1, more: false },
        ],
      ])
    })

    it('does not show tasks, but counts them with their job', async () => {
      const { store } = await setup()
      await split(store, 3)
      const [m] = await childrenOf(store, null)
      expect(m && shown(m)).toEqual(['/m', false, true, 4, 0])
      expect((await childrenOf(store, '/m')).map(shown)).toEqual([['/m/whole', true, false, 4, 0]])
      expect(await childrenOf(store, '/m/whole')).toEqual([])
      await submitNamed(store, ['/m/whole/1st', '/m/whole/007', '/m/whole/a'])
      expect((await childrenOf(store, '/m')).map(shown)).toEqual([['/m/whole', true, true, 7, 0]])
      const below = await childrenOf(store, '/m/whole', 1)
      expect(below.map(({ path }) => path)).toEqual(['/m/whole/007', '/m/whole/1st', '/m/whole/a'])
    })

    it('refuses what is no path or cursor', async () => {
      const { store } = await setup()
      const ask = (request: object) => codeOf(store.tree({ path: '/a', limit: 10, ...request }))
      for (const path of ['', 'a', '/a/', 5, undefined]) expect(await ask({ path })).toBe('invalid_name')
      for (const text of unstorableTexts) expect(await ask({ path: `/a/${text}` })).toBe('invalid_json')
      for (const after of [...noTexts, '', 'a/b']) expect(await ask({ after })).toBe('invalid_argument')
      for (const after of unstorableTexts) expect(await ask({ after })).toBe('invalid_json')
      for (const limit of [0, -1, 1.5, null]) expect(await ask({ limit })).toBe('invalid_argument')
    })
  })
}
