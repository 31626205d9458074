import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StintError } from '../../../src/core/errors.ts'
import {
  addMembers,
  createGroup,
  type EndedMember,
  endMembers,
  type Group,
  type GroupSpec,
  type GroupStep,
  type MemberEnd,
  mayAdvance,
  memberEnd,
  requestCancel,
  requireMovable,
  requireOpen,
  sealGroup,
  startGroup,
  statusOf,
} from '../../../src/core/group/group.ts'

const spec = (fields: Partial<GroupSpec> = {}): GroupSpec => {
  return { mode: 'parallel', width: null, onFailure: 'continue', label: null, finish: null, ...fields }
}
const stopping = { mode: 'sequential', onFailure: 'stop' } as const

function groupOf(total: number, fields: Partial<GroupSpec> = {}): Group {
  return addMembers(createGroup(spec(fields)).group, { total, skipped: 0, lastSeq: total })
}

const sealedGroup = (total: number, fields: Partial<GroupSpec> = {}) => sealGroup(groupOf(total, fields), 1).group
const ended = (...ends: readonly MemberEnd[]): readonly EndedMember[] => {
  return ends.map((end, i) => ({ pk: i + 1, name: `/t/${end}-${i}`, end }))
}
const typesOf = ({ events }: GroupStep) => events.map(({ type }) => type)

function codeOf(act: () => unknown): string | null {
  try {
    act()
    return null
  } catch (error) {
    return error instanceof StintError ? error.code : String(error)
  }
}

describe('a group', () => {
  it('is CREATED while members are added, QUEUED once it is sealed, RUNNING from the first start on', () => {
    const finish = { id: 'x', name: '/t/done', type: 'done', params: '{}' }
    const made = createGroup(spec({ label: 'Nightly', width: 3, finish }))
    expect(made.group).toMatchObject({ status: 'CREATED', sealed: false, counts: { total: 0 }, startedAt: null })
    expect(made.events).toEqual([
      {
        type: 'group.created',
        data: { mode: 'parallel', width: 3, onFailure: 'continue', label: 'Nightly', finish },
      },
    ])
    expect(createGroup(spec()).events[0]?.data).toMatchObject({ finish: null })
    const sealed = sealGroup(groupOf(2), 5)
    expect([sealed.group.status, typesOf(sealed)]).toEqual(['QUEUED', ['group.sealed']])
    const started = startGroup(sealed.group, 7)
    expect([started.group.status, started.group.startedAt, typesOf(started)]).toEqual(['RUNNING', 7, ['group.started']])
  })

  it('does nothing twice', () => {
    const started = startGroup(sealedGroup(2), 7).group
    const asked = requestCancel(started, 'x', 8).group
    for (const step of [sealGroup(started, 9), startGroup(started, 9), requestCancel(asked, 'y', 9)]) {
      expect(step.events).toEqual([])
    }
    expect(sealGroup(started, 9).group).toBe(started)
    expect(startGroup(started, 9).group).toBe(started)
    const over = endMembers(started, ended('completed', 'completed'), 9).group
    expect(requestCancel(over, 'z', 10)).toEqual({ group: over, events: [] })
  })

  it.each<[string, readonly MemberEnd[], string]>([
    ['no member', [], 'COMPLETED'],
    ['all completed', ['completed', 'completed'], 'COMPLETED'],
    ['some skipped', ['completed', 'skipped'], 'COMPLETED'],
    ['only skipped', ['skipped'], 'COMPLETED'],
    ['some cancelled', ['completed', 'cancelled', 'skipped'], 'CANCELLED'],
    ['some failed', ['completed', 'failed'], 'PARTIAL'],
    ['only failed', ['failed'], 'PARTIAL'],
    ['failed and cancelled', ['cancelled', 'failed', 'cancelled'], 'PARTIAL'],
  ])('with %s ends as it must', (_, ends, status) => {
    const early = endMembers(groupOf(ends.length), ended(...ends), 3)
    expect([early.group.status, early.events]).toEqual(['CREATED', []])
    const { group, events } = sealGroup(early.group, 4)
    expect(group).toMatchObject({ status, finishedAt: 4 })
    expect(events).toEqual([
      { type: 'group.sealed', data: {} },
      { type: 'group.finished', data: { status, counts: group.counts } },
    ])
  })

  it('takes members until it is sealed, some of which are skipped at once', () => {
    const group = addMembers(groupOf(2), { total: 3, skipped: 1, lastSeq: 9 })
    expect(group).toMatchObject({ lastSeq: 9, counts: { total: 5, skipped: 1 } })
    expect(codeOf(() => requireOpen(group, 'g'))).toBeNull()
    expect(codeOf(() => requireOpen(sealGroup(group, 1).group, 'g'))).toBe('group_sealed')
  })

  it('counts a member as cancelled if its status says so, else by its last run', () => {
    expect(memberEnd({ cancelled: true, outcome: null })).toBe('cancelled')
    expect(memberEnd({ cancelled: true, outcome: 'SKIPPED' })).toBe('cancelled')
    expect(memberEnd({ cancelled: true, outcome: 'FAILED' })).toBe('cancelled')
    expect(memberEnd({ cancelled: false, outcome: 'FAILED' })).toBe('failed')
    expect(memberEnd({ cancelled: false, outcome: 'SKIPPED' })).toBe('skipped')
    expect(memberEnd({ cancelled: false, outcome: 'COMPLETED' })).toBe('completed')
  })
})

describe('a sequential group', () => {
  const atWork = (fields: Partial<GroupSpec> = {}): Group => {
    return { ...startGroup(sealedGroup(3, { ...stopping, ...fields }), 2).group, reached: 1, current: 1 }
  }

  it('has the next member take its turn when the current one is over', () => {
    expect(mayAdvance(groupOf(3, stopping))).toBe(false)
    expect(mayAdvance(sealedGroup(3, stopping))).toBe(true)
    expect(mayAdvance(atWork())).toBe(false)
    expect(mayAdvance(endMembers(atWork(), ended('completed'), 3).group)).toBe(true)
    expect(mayAdvance(endMembers(atWork(), ended('cancelled'), 3).group)).toBe(true)
    expect(mayAdvance(endMembers(atWork(), [{ pk: 3, name: '/t/c', end: 'cancelled' }], 3).group)).toBe(false)
    expect(mayAdvance(endMembers(atWork(), ended('completed', 'completed', 'completed'), 3).group)).toBe(false)
    expect(mayAdvance(sealedGroup(3))).toBe(false)
  })

  it('stops at a member that failed for good, unless it is to go on or nothing is left', () => {
    const stopped = endMembers(atWork(), ended('failed'), 3)
    expect(stopped.group).toMatchObject({ stopped: true, status: 'RUNNING', counts: { failed: 1 } })
    expect(stopped.events).toEqual([{ type: 'group.stopped', data: { failed: '/t/failed-0' } }])
    expect(mayAdvance(stopped.group)).toBe(false)
    const again = endMembers(stopped.group, [{ pk: 2, name: '/t/b', end: 'failed' }], 4)
    expect(again.events).toEqual([])
    const goingOn = endMembers(atWork({ onFailure: 'continue' }), ended('failed'), 3)
    expect([goingOn.group.stopped, goingOn.events, mayAdvance(goingOn.group)]).toEqual([false, [], true])
    const last = endMembers(atWork(), ended('completed', 'completed', 'failed'), 3)
    expect([last.group.stopped, last.group.status, typesOf(last)]).toEqual([false, 'PARTIAL', ['group.finished']])
  })

  it('that stopped is PARTIAL when those behind are over', () => {
    const stopped = endMembers(atWork(), ended('failed'), 3).group
    const { group } = endMembers(
      stopped,
      [2, 3].map((pk) => ({ pk, name: '/t/x', end: 'cancelled' })),
      4,
    )
    expect(group).toMatchObject({ status: 'PARTIAL', finishedAt: 4, counts: { failed: 1, cancelled: 2 } })
  })
})

describe('the cancel of a group', () => {
  it('seals it, lets nobody have a turn, and ends it when all members are over', () => {
    const asked = requestCancel(groupOf(2, stopping), 'no need', 3)
    expect(asked.group).toMatchObject({ sealed: true, cancelRequested: true, status: 'QUEUED' })
    expect(asked.events).toEqual([
      { type: 'group.sealed', data: {} },
      { type: 'group.cancel.requested', data: { reason: 'no need' } },
    ])
    expect(mayAdvance(asked.group)).toBe(false)
    expect(endMembers(asked.group, ended('cancelled', 'completed'), 5).group.status).toBe('CANCELLED')
    expect(endMembers(asked.group, ended('completed', 'completed'), 5).group.status).toBe('COMPLETED')
    expect(typesOf(requestCancel(sealedGroup(2), 'x', 3))).toEqual(['group.cancel.requested'])
  })

  it('of one without members is its end', () => {
    const { group, events } = requestCancel(groupOf(0), 'x', 3)
    expect([group.status, group.finishedAt, events.at(-1)?.type]).toEqual(['CANCELLED', 3, 'group.finished'])
  })
})

describe('the order of members', () => {
  it('can be changed until the group ends, stops or is cancelled', () => {
    const stopped = endMembers(sealedGroup(2, stopping), ended('failed'), 3).group
    const cancelled = requestCancel(groupOf(2), 'x', 3).group
    const over = sealedGroup(0)
    expect([groupOf(2), sealedGroup(2)].map((group) => codeOf(() => requireMovable(group, 'g')))).toEqual([null, null])
    for (const [group, why] of [
      [stopped, 'has stopped'],
      [cancelled, 'is being cancelled'],
      [over, 'is over'],
    ] as const) {
      expect(codeOf(() => requireMovable(group, 'g'))).toBe('illegal_transition')
      expect(() => requireMovable(group, 'g')).toThrow(why)
    }
  })
})

describe('whatever happens to a group', () => {
  const end = fc.constantFrom<MemberEnd[]>('completed', 'failed', 'cancelled', 'skipped')
  const life = fc.record({
    spec: fc.constantFrom(spec(), spec(stopping), spec({ mode: 'sequential' })),
    ends: fc.array(end, { maxLength: 8 }),
    /** After how many ends it is sealed, started and cancelled; never if there are fewer. */
    sealAt: fc.nat(8),
    startAt: fc.nat(12),
    cancelAt: fc.nat(12),
  })

  it('it is over exactly when it is sealed and all members are, and its status follows from the facts', () => {
    const law = fc.property(life, ({ spec: given, ends, sealAt, startAt, cancelAt }) => {
      const made = createGroup(given)
      let group = addMembers(made.group, { total: ends.length, skipped: 0, lastSeq: ends.length })
      const events = [...made.events]
      const take = (step: GroupStep) => {
        group = step.group
        events.push(...step.events)
        const { total, ...over } = group.counts
        const isOver = group.sealed && Object.values(over).reduce((a, b) => a + b, 0) === total
        expect(group.finishedAt !== null).toBe(isOver)
        expect(group.status).toBe(statusOf(group))
      }
      for (const [i, each] of [...ends, null].entries()) {
        if (i === Math.min(sealAt, ends.length)) take(sealGroup(group, i))
        if (i === cancelAt) take(requestCancel(group, 'x', i))
        if (group.sealed && group.finishedAt === null && i >= startAt) take(startGroup(group, i))
        if (each !== null) take(endMembers(group, [{ pk: i, name: `/t/${i}`, end: each }], i))
      }
      expect(group.finishedAt).not.toBeNull()
      expect(events.filter(({ type }) => type === 'group.finished')).toHaveLength(1)
      expect(events.filter(({ type }) => type === 'group.sealed')).toHaveLength(1)
      expect(events.filter(({ type }) => type === 'group.stopped').length).toBeLessThanOrEqual(1)
      expect(group.status === 'PARTIAL').toBe(ends.includes('failed'))
    })
    fc.assert(law, { numRuns: 1_000 })
  })
})
