import {
  type Stretch,
  type StretchRow,
  stretchOfRow,
  stretchRow,
  type Walk,
  type WalkKind,
  type WalkRow,
  type Walks,
  walkBeginning,
  walkKinds,
  walkOfRow,
  walkRow,
} from '../retention/walks.ts'
import type { Statements } from './statements.ts'

/** Walks on SQLite, whose transactions are alone: nobody else can hold anything. */
export class SqliteWalks implements Walks {
  readonly #sql: Statements
  readonly #now: number

  constructor(sql: Statements, now: number) {
    this.#sql = sql
    this.#now = now
  }

  hold(name: WalkKind): Walk | null {
    const kind = walkKinds[name]
    this.#sql.run('beginWalk', { kind, front: walkBeginning })
    const row = this.#sql.get<WalkRow>('walkOf', { kind })
    return row === undefined ? null : walkOfRow(name, row)
  }

  save(walk: Walk): void {
    this.#sql.run('saveWalk', { kind: walkKinds[walk.kind], ...walkRow(walk) })
  }

  review(): void {
    this.#sql.run('reviewWalks', {})
  }

  due(name: WalkKind): Stretch | null {
    const row = this.#sql.get<StretchRow>('dueStretch', { kind: walkKinds[name], now: this.#now })
    return row === undefined ? null : stretchOfRow(name, row)
  }

  get(name: WalkKind, pk: number): Stretch | null {
    const row = this.#sql.get<StretchRow>('stretchOf', { kind: walkKinds[name], pk })
    return row === undefined ? null : stretchOfRow(name, row)
  }

  add(stretch: Omit<Stretch, 'pk'>): Stretch {
    const row = { kind: walkKinds[stretch.kind], ...stretchRow(stretch) }
    const { pk } = this.#sql.get<{ pk: number }>('addStretch', row) as { pk: number }
    return { pk, ...stretch }
  }

  setDue(pk: number, dueAt: number | null): void {
    this.#sql.run('setStretchDue', { pk, due_at: dueAt })
  }

  remove(pk: number): void {
    this.#sql.run('removeStretch', { pk })
  }

  makeDue(name: WalkKind, after: number, limit: number): number | null {
    const rows = this.#sql.all<{ pk: number }>('makeStretchesDue', { kind: walkKinds[name], after, limit })
    return rows.length < limit ? null : Math.max(...rows.map(({ pk }) => pk))
  }
}
