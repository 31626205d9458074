import { describe, expect, it } from 'vitest'
import type { Controls, NewGroup } from '../../src/store/controls.ts'
import type { Submission, SubmitResult } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, newId, type Setup, submission } from '../support/fixture.ts'
import {
  addNamed,
  createGroup,
  groupEvents,
  groupOf,
  membersOf,
  only,
  patience,
  seal,
  sealedGroup,
} from '../support/groups.ts'
import { codeOf, completion, failure } from '../support/requests.ts'

/** What is wrong with a group, planted behind the store's back, and the fields that tell of it. */
const plants: readonly (readonly [what: string, sql: string, fields: readonly string[]])[] = [
  ['a wrong count', `update records set body = replace(body, '"completed":1', '"completed":2')`, ['counts']],
  ['a wrong total', `update records set body = replace(body, '"total":3', '"total":4')`, ['counts']],
  ['a wrong status', `update records set body = replace(body, '"RUNNING"', '"QUEUED"')`, ['status']],
  ['a member that is missing', 'delete from members where seq = 2', ['counts']],
  ['a member of another group', 'update members set group_pk = 99 where seq = 3', ['counts', 'seat']],
  ['a path that was left too early', 'update records set released = pk', ['released', 'waits']],
  ['a member that no longer waits', 'delete from waits', ['waits', 'turns']],
]

export function groupInputsContract(setup: Setup): void {
  const codeOfSubmit = (result: SubmitResult | undefined) => {
    return result?.outcome === 'refused' ? result.error.code : result?.outcome
  }

  describe('groups that make no sense', () => {
    it('are refused, field by field, and nothing is written', async () => {
      const { store } = await setup()
      const finish = { id: newId(), name: '/m/done', type: 'done', params: null }
      const wrong: readonly [Partial<Record<keyof NewGroup | 'x', unknown>>, string, string?][] = [
        [{ path: 'no slash' }, 'invalid_name'],
        [{ path: '/g/a\0b' }, 'invalid_name'],
        [{ path: '/g/\ud800' }, 'invalid_name'],
        [{ path: `/g/${'x'.repeat(1_000)}` }, 'invalid_name'],
        [{ id: 'x' }, 'invalid_id', 'id'],
        [{ mode: 'both' }, 'invalid_argument', 'mode'],
        [{ mode: undefined }, 'invalid_argument', 'mode'],
        [{ width: 0 }, 'invalid_argument', 'width'],
        [{ width: 1.5 }, 'invalid_argument', 'width'],
        [{ mode: 'sequential', width: 2 }, 'invalid_argument', 'width'],
        [{ onFailure: 'stop' }, 'invalid_argument', 'onFailure'],
        [{ mode: 'sequential', onFailure: 'wait' }, 'invalid_argument', 'onFailure'],
        [{ label: 5 }, 'invalid_argument', 'label'],
        [{ finish: 'done' }, 'invalid_argument', 'finish'],
        [{ finish: { ...finish, id: 'x' } }, 'invalid_id', 'finish.id'],
        [{ finish: { ...finish, type: 'a b' } }, 'invalid_argument', 'finish.type'],
        [{ finish: { ...finish, name: 'x' } }, 'invalid_name'],
        [{ finish: { ...finish, name: `/m${'/abc'.repeat(15)}` } }, 'invalid_name'],
        [{ finish: { ...finish, params: '[]' } }, 'invalid_argument', 'finish.params'],
        [{ x: 1 }, 'invalid_argument', 'x'],
      ]
      for (const [fields, code, field] of wrong) {
        const error = await createGroup(store, fields as Partial<NewGroup>).catch((thrown: unknown) => thrown)
        expect([fields, error]).toMatchObject([
          fields,
          { code, ...(field === undefined ? {} : { details: { field } }) },
        ])
      }
      await expect.poll(() => groupEvents(store), patience).toEqual([])
      expect(await store.limits()).toEqual([])
    })

    it('are refused when others have their id or path', async () => {
      const { store } = await setup()
      const { id } = await createGroup(store, { path: '/g/one' })
      expect(await codeOf(createGroup(store, { path: '/g/one' }))).toBe('path_taken')
      expect(await codeOf(createGroup(store, { id }))).toBe('path_taken')
    })

    it('are not found: whatever is asked of them', async () => {
      const { store } = await setup()
      const group = newId()
      const calls = [
        store.control('group.seal', { group }),
        store.control('group.cancel', { group, reason: 'x' }),
        store.control('group.reorder', { group, jobIds: [] }),
        store.control('group.members', { group: '/g/none', limit: 10 }),
      ]
      expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'not_found'))
      expect(await codeOf(store.control('group.get', { group: 'x' }))).toBe('invalid_argument')
      expect(await codeOf(store.control('group.members', { group, limit: 0 }))).toBe('not_found')
      const made = await createGroup(store)
      expect(await codeOf(store.control('group.members', { group: made.id, limit: 0 }))).toBe('invalid_argument')
      expect(await codeOf(store.control('group.cancel', { group: made.id, reason: '' }))).toBe('invalid_argument')
    })
  })

  describe('members', () => {
    it('of a group that does not exist, or is sealed, are refused alone', async () => {
      const { store } = await setup()
      const group = await createGroup(store)
      const sealed = await createGroup(store)
      await addNamed(store, sealed, ['kept'])
      await seal(store, sealed)
      const results = await store.submit([
        submission({ group: newId() }),
        submission({ group: '/g/none' }),
        submission({ group: 'x' }),
        submission({ group: '/g/a\0b' }),
        submission({ group: sealed.id }),
        submission({ group: sealed.path, name: '/m/kept', onConflict: 'replace' }),
        submission({ group: sealed.path, name: '/m/kept', onConflict: 'skip' }),
        submission({ group: group.path }),
        submission(),
      ])
      expect(results.map(codeOfSubmit)).toEqual([
        ...[
          'not_found',
          'not_found',
          'invalid_argument',
          'invalid_name',
          'group_sealed',
          'group_sealed',
          'group_sealed',
        ],
        ...['created', 'created'],
      ])
      expect(await membersOf(store, sealed)).toEqual(['kept QUEUED'])
      expect(await verify(store)).toEqual([])
    })

    it('are not made of jobs that are there already, in another group or in none', async () => {
      const { store } = await setup()
      const [group, other] = [await createGroup(store), await createGroup(store)]
      await addNamed(store, other, ['theirs'])
      await addNamed(store, group, ['ours'])
      await store.submit([submission({ name: '/m/nobodys' })])
      const keep = (name: string, fields: Partial<Submission> = {}) => {
        return submission({ name: `/m/${name}`, group: group.id, onConflict: 'keep', ...fields })
      }
      const { group: _, ...plain } = keep('theirs')
      const results = await store.submit([keep('theirs'), keep('nobodys'), keep('ours'), plain])
      expect(results.map(codeOfSubmit)).toEqual(['in_other_group', 'in_other_group', 'kept', 'kept'])
      expect(await groupOf(store, group)).toMatchObject({ counts: { total: 1 } })
      expect(await verify(store)).toEqual([])
    })

    it('that are submitted again are there already, also when the group is sealed by then', async () => {
      const { store } = await setup()
      const group = await createGroup(store)
      const given = [submission({ group: group.id }), submission({ group: group.id })]
      await store.submit(given)
      await seal(store, group)
      expect((await store.submit(given)).map(codeOfSubmit)).toEqual(['kept', 'kept'])
      const elsewhere = { ...given[0], group: (await createGroup(store)).id } as Submission
      const { group: _, ...plain } = given[1] as Submission
      expect((await store.submit([elsewhere, plain])).map(codeOfSubmit)).toEqual(['id_taken', 'id_taken'])
      expect(await groupOf(store, group)).toMatchObject({ counts: { total: 2 } })
    })

    it('are listed in their order, page by page', async () => {
      const { store } = await setup()
      const group = await createGroup(store)
      const added = await addNamed(store, group, ['a', 'b', 'c'])
      const more = await addNamed(store, group, ['d', 'e'])
      const listed: string[] = []
      let after: number | null = null
      do {
        const input: Controls['group.members']['input'] = { group: group.id, after, limit: 2 }
        const { items, next } = await store.control('group.members', input)
        listed.push(...items.map(({ jobId }) => jobId))
        after = next
      } while (after !== null)
      expect(listed).toEqual([...added, ...more].map(({ job }) => job.id))
      const { items } = await store.control('group.members', { group: group.id, limit: 1 })
      expect(items).toEqual([
        { jobId: listed[0], name: '/m/a', type: 'work', status: 'QUEUED', outcome: null, attempt: 0 },
      ])
    })

    it('keep the order of their list, also where one had to wait for another of it', async () => {
      const { store } = await setup()
      const group = await createGroup(store, { mode: 'sequential' })
      const given = ['a', 'a', 'b', 'c'].map((name) => {
        return submission({ name: `/m/${name}`, group: group.id, onConflict: 'replace' })
      })
      expect((await store.submit(given)).map(codeOfSubmit)).toEqual(given.map(() => 'created'))
      expect(await membersOf(store, group)).toEqual(['a CANCELLED', 'a QUEUED', 'b QUEUED', 'c QUEUED'])
      expect(await groupOf(store, group)).toMatchObject({ counts: { total: 4, cancelled: 1 } })
      expect(await verify(store)).toEqual([])
    })

    it('can have a template and limits of their own beside the width', async () => {
      const { store } = await setup()
      await store.control('template.create', { id: newId(), path: '/t/x', type: 'work', priority: 3 })
      const group = await createGroup(store, { width: 5 })
      const { type: _, ...untyped } = submission({ group: group.id, template: '/t/x', limits: [{ key: 'gpu' }] })
      const { job } = accepted((await store.submit([untyped]))[0])
      expect(job).toMatchObject({ priority: 3, groupId: group.id, limits: ['gpu', `group:${group.id}`] })
      expect(await verify(store)).toEqual([])
    })
  })

  describe('verify', () => {
    it.each(plants)('reports %s of a group', async (_, sql, fields) => {
      const { store, raw } = await setup()
      const { group } = await sealedGroup(store, { mode: 'sequential' }, ['a', 'b', 'c'])
      await store.apply([completion(await only(store, 'a'))], { now: 2_100 })
      await only(store, 'b', 2_200)
      expect(await verify(store)).toEqual([])
      await raw(sql)
      const differences = await verify(store)
      expect(differences.map(({ field }) => field)).toEqual(expect.arrayContaining([...fields]))
      expect(differences.some(({ groupId }) => groupId === group.id)).toBe(true)
    })

    it('reports members that wait for a group that has nothing left to do', async () => {
      const { store, raw } = await setup()
      const { group } = await sealedGroup(store, { mode: 'sequential' }, ['a', 'b', 'c'])
      await store.apply([failure(await only(store, 'a'))], { now: 2_100 })
      expect(await verify(store)).toEqual([])
      await raw('delete from follow_ups')
      expect(await verify(store)).toMatchObject([{ groupId: group.id, field: 'waits', stored: 2, derived: 0 }])
    })
  })
}
