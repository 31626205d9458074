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
import type { QueryClient } from '../store.ts'
import type { Statements } from './statements.ts'

export class PostgresWalks implements Walks {
  readonly #client: QueryClient
  readonly #sql: Statements
  readonly #now: number

  constructor(client: QueryClient, sql: Statements, now: number) {
    this.#client = client
    this.#sql = sql
    this.#now = now
  }

  async hold(name: WalkKind): Promise<Walk | null> {
    const kind = walkKinds[name]
    await this.#sql.run(this.#client, 'beginWalk', { kind, front: walkBeginning })
    const [row] = await this.#sql.run<WalkRow>(this.#client, 'walkOf', { kind })
    return row === undefined ? null : walkOfRow(name, row)
  }

  async save(walk: Walk): Promise<void> {
    await this.#sql.run(this.#client, 'saveWalk', { kind: walkKinds[walk.kind], ...walkRow(walk) })
  }

  async review(): Promise<void> {
    await this.#sql.run(this.#client, 'reviewWalks', { kinds: Object.values(walkKinds), front: walkBeginning })
  }

  async due(name: WalkKind): Promise<Stretch | null> {
    const params = { kind: walkKinds[name], now: this.#now }
    const [row] = await this.#sql.run<StretchRow>(this.#client, 'dueStretch', params)
    return row === undefined ? null : stretchOfRow(name, row)
  }

  async get(name: WalkKind, pk: number): Promise<Stretch | null> {
    const [row] = await this.#sql.run<StretchRow>(this.#client, 'stretchOf', { kind: walkKinds[name], pk })
    return row === undefined ? null : stretchOfRow(name, row)
  }

  async add(stretch: Omit<Stretch, 'pk'>): Promise<Stretch> {
    const row = { kind: walkKinds[stretch.kind], ...stretchRow(stretch) }
    const [made] = await this.#sql.run<{ pk: number }>(this.#client, 'addStretch', row)
    return { pk: made?.pk ?? 0, ...stretch }
  }

  async setDue(pk: number, dueAt: number | null): Promise<void> {
    await this.#sql.run(this.#client, 'setStretchDue', { pk, due_at: dueAt })
  }

  async remove(pk: number): Promise<void> {
    await this.#sql.run(this.#client, 'removeStretch', { pk })
  }

  async makeDue(name: WalkKind, after: number, limit: number): Promise<number | null> {
    const params = { kind: walkKinds[name], after, limit }
    const rows = await this.#sql.run<{ pk: number }>(this.#client, 'makeStretchesDue', params)
    return rows.length < limit ? null : Math.max(...rows.map(({ pk }) => pk))
  }
}
