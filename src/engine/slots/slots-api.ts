import { StintError, show } from '../../core/errors.ts'
import { type Json, toJsonText } from '../../core/json.ts'
import { SlotId } from '../../core/names/ids.ts'
import { type JobName, resolveName } from '../../core/names/job-name.ts'
import type { SlotStatus } from '../../core/slot/slot.ts'
import { isUuid } from '../../store/check-input.ts'
import type { NewSlotInput, SlotRow } from '../../store/controls.ts'
import type { Env } from '../env.ts'
import type { Page } from '../jobs-api.ts'
import { pageOf, type RecordsQuery, requestOf } from '../record-pages.ts'
import type { References } from '../references.ts'
import { Slot } from './slot.ts'

/** What names a slot: itself, its id, its UUID or its path. */
export type SlotReference = string | Slot<unknown> | SlotId

export interface SlotOptions {
  /** For people. */
  readonly label?: string
}

/** When a slot fills itself. */
export interface DelayOptions extends SlotOptions {
  /** What it is filled with. Default null. */
  readonly value?: unknown
}

/** A slot as it is shown. */
export interface SlotView {
  /** Text form of its SlotId. */
  readonly id: string
  readonly path: string
  readonly label: string | null
  readonly status: SlotStatus
  readonly value: Json
  /** Why it will never have a value. */
  readonly error: string | null
  /** Who filled it. */
  readonly filledBy: string | null
  /** When it fills itself. */
  readonly dueAt: Date | null
  readonly createdAt: Date
  readonly settledAt: Date | null
}

/** Values to come that no job gives: promises, which somebody fills once, and delays, which time fills. */
export class SlotsApi {
  readonly #env: Env
  readonly #references: References
  readonly #namespace: JobName

  constructor(env: Env, references: References, namespace: JobName) {
    this.#env = env
    this.#references = references
    this.#namespace = namespace
  }

  /** A promise that stands at a path: somebody has to fill it. */
  async create<Value = Json>(path: string, { label }: SlotOptions = {}): Promise<Slot<Value>> {
    return await this.#create({ ...this.#at(path), ...(label === undefined ? {} : { label }) })
  }

  /** A slot that fills itself at an instant. */
  async delay<Value = null>(path: string, until: Date, options: DelayOptions = {}): Promise<Slot<Value>> {
    return await this.#create({ ...this.#at(path), ...delayed(until, options) })
  }

  /** Fills a slot. The same value again is success; another is refused. `by` says who did it, for all to see. */
  async fill<Value>(
    slot: Slot<Value> | string | SlotId,
    value: NoInfer<Value>,
    { by = 'the library' }: { readonly by?: string } = {},
  ): Promise<SlotView> {
    const text = toJsonText(value, 'value')
    return this.#view(await this.#env.store.control('slot.fill', { ...targetOf(slot), value: text, by }))
  }

  /** Says that a slot will never have a value: those who wait for it end, or run and are told. */
  async fail(slot: SlotReference, error: string): Promise<SlotView> {
    return this.#view(await this.#env.store.control('slot.fail', { ...targetOf(slot), error }))
  }

  /** Null when there is none. */
  async get(slot: SlotReference): Promise<SlotView | null> {
    const { slot: ref, namespace } = targetOf(slot)
    const row = await this.#env.store.control('slot.get', { slot: ref })
    return row === null || (namespace !== undefined && row.namespace !== namespace) ? null : this.#view(row)
  }

  /** The newest first. With `all` also those whose path others have since. */
  async list(query: RecordsQuery = {}): Promise<Page<SlotView>> {
    return pageOf(await this.#env.store.control('slot.list', requestOf(query)), (row) => this.#view(row))
  }

  #at(path: string): { readonly id: string; readonly path: string } {
    return { id: this.#env.newId(), path: resolveName(path, this.#namespace).toWire() }
  }

  async #create<Value>(input: NewSlotInput): Promise<Slot<Value>> {
    const { id, path } = await this.#env.store.control('slot.create', input)
    return new Slot<Value>(this.#references.idFor(path, id), id)
  }

  #view(row: SlotRow): SlotView {
    const { id, path, label, status, value, error, filledBy, dueAt, createdAt, settledAt } = row
    return {
      id: this.#references.idFor(path, id),
      path,
      label,
      status,
      value: value === null ? null : (JSON.parse(value) as Json),
      error,
      filledBy,
      dueAt: dateOf(dueAt),
      createdAt: new Date(createdAt),
      settledAt: dateOf(settledAt),
    }
  }
}

export function delayed(until: Date, { label, value }: DelayOptions): Omit<NewSlotInput, 'id' | 'path'> {
  const dueAt = until instanceof Date ? until.getTime() : Number.NaN
  if (!Number.isFinite(dueAt)) {
    const rule = 'must be a valid Date'
    throw new StintError('invalid_argument', `until ${rule}; got ${show(until)}.`, { field: 'until', rule })
  }
  return { dueAt, value: toJsonText(value, 'value'), ...(label === undefined ? {} : { label }) }
}

function dateOf(instant: number | null): Date | null {
  return instant === null ? null : new Date(instant)
}

/** A UUID or a path; with an id also the namespace that it must be of. */
function targetOf(reference: SlotReference): { readonly slot: string; readonly namespace?: string } {
  const text: unknown = reference instanceof Slot ? reference.id : reference
  if (typeof text === 'string' && (text.startsWith('/') || isUuid(text))) return { slot: text }
  const id = text instanceof SlotId ? text : SlotId.parse(text as string)
  return id.namespace === null ? { slot: id.name } : { slot: id.name, namespace: id.namespace }
}
