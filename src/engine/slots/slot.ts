import type { Json } from '../../core/json.ts'

/**
 * A value to come: the output of a job, or a promise that somebody fills. It stands in the params of a job in place of the
 * value, which the handler gets; a handler may return it as its own result.
 */
export class Slot<Value = Json> {
  /** Text form of its SlotId. */
  readonly id: string
  /** The last part of it. */
  readonly uuid: string
  /** Only for the compiler. */
  declare readonly '~value'?: Value

  constructor(id: string, uuid: string) {
    this.id = id
    this.uuid = uuid
    Object.freeze(this)
  }

  toString(): string {
    return this.id
  }
}

/** Params in which any part may be a slot of its type. */
export type Slotted<Params> = Params | Slot<Params> | SlottedParts<Params>

type SlottedParts<Params> = Params extends readonly (infer Item)[]
  ? readonly Slotted<Item>[]
  : Params extends object
    ? { readonly [Name in keyof Params]: Slotted<Params[Name]> }
    : never

/** What a handler that returns a slot results in is the value of it. */
export type ValueOf<Returned> = Returned extends Slot<infer Value> ? Value : Returned
