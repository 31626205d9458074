import { expect, it } from 'vitest'
import type { Store } from '../../../src/store/store.ts'
import { codeOf } from '../../support/requests.ts'
import { onBothStores, type SetupStint } from '../../support/stint.ts'
import { type Cases, controlCases, methodCases } from './cases.ts'
import { furnish, mark, nowhere, type Place, stateOf, told } from './world.ts'

/** Above, beside with almost the same name, and another namespace altogether. */
const elsewhere = ['/a', '/a/bc', '/z'].map((path) => `${path}/${mark}`)

interface World {
  readonly store: Store
  readonly whole: Store
  readonly own: Place
  readonly foreign: readonly Place[]
}

async function worldOf(setup: SetupStint): Promise<World> {
  const { stint, store: whole } = await setup()
  const foreign: Place[] = []
  for (const path of elsewhere) foreign.push(await furnish(whole, path))
  const { store } = stint.within({ path: '/a/b', actor: 'ada' })
  return { store, whole, own: await furnish(whole, '/a/b/own'), foreign }
}

/** Its own things have the mark, too, where it stands for everything that a place has: they are taken out. */
const hidden = new RegExp(elsewhere.join('|'))

async function tryAll(what: string, { looks = [], lists = [], writes = [], whole }: Cases, world: World) {
  const { store, own, foreign } = world
  for (const place of foreign) {
    for (const [i, look] of looks.entries()) {
      const unknown = nowhere('/a/b', place)
      const [given, expected] = [
        await told(look(store, place, own), place),
        await told(look(store, unknown, own), unknown),
      ]
      expect(given, `${what}, look ${i}, ${place.path}`).toBe(expected)
      expect(given, what).not.toMatch(hidden)
    }
    for (const [i, write] of writes.entries()) {
      expect(await codeOf(write(store, place.path, own)), `${what}, write ${i}, ${place.path}`).toBe('forbidden')
    }
  }
  for (const list of lists) expect(JSON.stringify(await list(store, own)), what).not.toMatch(hidden)
  if (whole !== undefined) expect(await codeOf(whole(store)), what).toBe('forbidden')
}

onBothStores('one branch', (setup) => {
  it('is all that is seen and changed, by every method and every control', async () => {
    const world = await worldOf(setup)
    const before = await Promise.all(world.foreign.map((place) => stateOf(world.whole, place)))
    for (const [name, cases] of Object.entries(methodCases)) await tryAll(name, cases, world)
    for (const [name, cases] of Object.entries(controlCases)) await tryAll(name, cases, world)
    expect(await Promise.all(world.foreign.map((place) => stateOf(world.whole, place)))).toEqual(before)
  })

  it('sees all that is its own', async () => {
    const { store, own, whole } = await worldOf(setup)
    const same = async (ask: (of: Store) => Promise<unknown>) => expect(await ask(store)).toEqual(await ask(whole))
    await same((of) => of.find([{ id: own.job }, { name: own.jobName }]))
    await same((of) => of.events({ jobId: own.job, limit: 100 }))
    await same((of) => of.events({ record: own.template, limit: 100 }))
    await same((of) => of.list({ branch: '/a/b', limit: 100 }))
    await same((of) => of.logs({ jobId: own.running, attempt: 1, limit: 10 }))
    await same((of) => of.notes(own.running))
    await same((of) => of.held(own.worker))
    await same((of) => of.control('template.get', { template: own.templatePath }))
    await same((of) => of.control('group.members', { group: own.group, limit: 10 }))
    await same((of) => of.control('key.get', { key: own.key }))
    await same((of) => of.control('endpoint.resolve', { namespace: 'a', name: own.endpoint }))
    expect((await store.limits()).map(({ key }) => key)).toEqual([`/a/b/own/${mark}`])
    expect((await store.pauses()).map(({ path }) => path)).toEqual([`/a/b/own/${mark}`])
    expect((await store.workers()).map(({ id }) => id)).toEqual([own.worker])
    expect((await store.control('key.list', { limit: 10 })).items.map(({ id }) => id)).toEqual([own.key])
  })
})
