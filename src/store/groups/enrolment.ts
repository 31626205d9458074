import { StintError } from '../../core/errors.ts'
import { addMembers, requireOpen } from '../../core/group/group.ts'
import { attempt } from '../check-input.ts'
import { checkRef } from '../control/record-steps.ts'
import { missingRecord } from '../missing.ts'
import type { StoredJob, Submission } from '../store.ts'
import type { Transaction } from '../transaction.ts'
import { findGroups, type GroupRecord, widthKey, writeGroup } from './group-record.ts'
import type { Member } from './members.ts'

/** A job that has become a member: its place in the list of submissions, and what was stored. */
export interface Enrolled {
  readonly index: number
  readonly stored: StoredJob
}

/** What it means to be a member. */
export interface Terms {
  /** Row keys of what it waits for: its group. */
  readonly waitsFor: readonly number[]
  /** Keys of limits that it keeps to. */
  readonly limits: readonly string[]
  /** Why it cannot be one; null when it can. */
  readonly refusal: StintError | null
}

const noTerms: Terms = { waitsFor: [], limits: [], refusal: null }

/**
 * The groups that one list of submissions adds members to. They are held from the first round on, so that nobody seals one
 * between the look at it and the new members.
 */
export class Enrolment {
  readonly #tx: Transaction
  readonly #count: number
  /** As the submissions name them. */
  readonly #named: ReadonlyMap<string, GroupRecord>
  /** By id, as they were when they were first held. */
  readonly #held = new Map<string, GroupRecord>()

  private constructor(tx: Transaction, count: number, named: ReadonlyMap<string, GroupRecord>) {
    this.#tx = tx
    this.#count = count
    this.#named = named
  }

  static async of(tx: Transaction, submissions: readonly Submission[]): Promise<Enrolment> {
    const refs = submissions.flatMap((submission) => {
      const ref = submission?.group === undefined ? [] : attempt(() => checkRef('group', submission.group))
      return ref instanceof StintError ? [] : ref
    })
    const found = refs.length === 0 ? [] : await findGroups(tx, [...new Set(refs)], 'read')
    const named = new Map(found.flatMap((record) => [record.id, record.path].map((ref) => [ref, record] as const)))
    return new Enrolment(tx, submissions.length, named)
  }

  /** The UUID of the group that a submission names; null when it names none. Throws when there is no such group. */
  groupIdOf(submission: Submission): string | null {
    const group = submission?.group
    if (group === undefined) return null
    const record = this.#named.get(checkRef('group', group))
    if (record !== undefined) return record.id
    throw missingRecord('group', group)
  }

  isSequential(groupId: string | null): boolean {
    return [...this.#named.values()].some(({ id, body }) => id === groupId && body.mode === 'sequential')
  }

  async hold(ids: readonly string[]): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => !this.#held.has(id))
    if (wanted.length === 0) return
    for (const record of await findGroups(this.#tx, wanted, 'change')) this.#held.set(record.id, record)
  }

  /** What a group that is held asks of a new member. */
  termsOf(groupId: string | null): Terms {
    const record = groupId === null ? undefined : this.#held.get(groupId)
    if (record === undefined) return noTerms
    const { body, id, pk } = record
    const open = attempt(() => requireOpen(body, id))
    const limits = body.width === null ? [] : [widthKey(id)]
    return { waitsFor: [pk], limits, refusal: open instanceof StintError ? open : null }
  }

  /** Makes jobs members of their groups, in the order of the submissions, whichever of them are there first. */
  async add(enrolled: readonly Enrolled[]): Promise<void> {
    const byGroup = Map.groupBy(enrolled, ({ stored }) => stored.job.groupId ?? '')
    byGroup.delete('')
    if (byGroup.size === 0) return
    // Read again: the ends of jobs that were replaced may have been counted since.
    for (const record of await findGroups(this.#tx, [...byGroup.keys()], 'change')) {
      await this.#addTo(record, byGroup.get(record.id) ?? [])
    }
  }

  async #addTo(record: GroupRecord, enrolled: readonly Enrolled[]): Promise<void> {
    const first = this.#held.get(record.id)?.body.lastSeq ?? 0
    const members = enrolled.map(({ index, stored }): Member => {
      return { group_pk: record.pk, seq: first + index + 1, job: stored.guard.pk }
    })
    await this.#tx.members.add(members)
    const skipped = enrolled.filter(({ stored }) => stored.job.state === 'final').length
    const added = { total: members.length, skipped, lastSeq: first + this.#count }
    await writeGroup(this.#tx, record, { group: addMembers(record.body, added), events: [] }, {})
  }
}
