import { expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { onBothStores, startWorker } from '../support/stint.ts'

const pathsOf = ({ items }: { readonly items: readonly { readonly path: string }[] }) => items.map(({ path }) => path)

onBothStores('an overview', (setup) => {
  it('shows the tree of names from the roots down, or from a branch', async () => {
    const { stint } = await setup()
    const done = defineJob('done', { run: () => null })
    await startWorker(stint, { jobs: [done] })
    await (await stint.submit(done, undefined, { name: '/a/b/x' })).result()
    await stint.submit('later', null, { name: '/a/b/x/y' })
    await stint.submit('later', null, { name: '/a/b/z' })
    await stint.submit('later', null, { name: 'own/z' })
    expect(pathsOf(await stint.tree())).toEqual(['/a', '/default'])
    expect(pathsOf(await stint.tree({ path: 'own' }))).toEqual(['/default/own/z'])
    const { items, cursor } = await stint.tree({ path: '/a/b', limit: 1 })
    const count = { count: 1, more: false }
    expect(items).toEqual([{ path: '/a/b/x', job: true, branch: true, live: count, finished: count }])
    expect(pathsOf(await stint.tree({ path: '/a/b', cursor }))).toEqual(['/a/b/z'])
    const branch = stint.within({ path: '/a/b' })
    expect(pathsOf(await branch.tree())).toEqual(['/a/b/x', '/a/b/z'])
    expect(pathsOf(await branch.tree({ path: 'x' }))).toEqual(['/a/b/x/y'])
    expect(pathsOf(await branch.tree({ path: '/default' }))).toEqual([])
    await expect(stint.tree({ path: '/a//b' })).rejects.toMatchObject({ code: 'invalid_name' })
    await expect(stint.tree({ cursor: 'a/b' })).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('shows how many jobs wait, by namespace and type', async () => {
    const { stint } = await setup()
    const first = await stint.submit('x', null, { name: '/a/x' })
    await stint.submit('x', null, { name: '/a/y' })
    await stint.submit('y', null, { name: '/b/x', scheduledFor: new Date(Date.now() + 60_000) })
    const none = { ready: 0, delayed: 0, gated: 0, running: 0, oldestReadyAt: null }
    const a = { ...none, namespace: 'a', type: 'x', ready: 2, oldestReadyAt: first.scheduledFor }
    const b = { ...none, namespace: 'b', type: 'y', delayed: 1 }
    expect((await stint.depths()).items).toEqual([a, b])
    expect((await stint.within({ path: '/b' }).depths()).items).toEqual([b])
    expect((await stint.within({ path: '/a/x' }).depths()).items).toEqual([])
  })
})
