import type { PackedError, PackedResult } from './packed-error.ts'

/** A call of a method. `carried` says that its arguments have to be revived. */
export interface Call {
  readonly nth: number
  readonly method: string
  readonly args: readonly unknown[]
  readonly carried: boolean
}

export type Answer = { readonly nth: number } & ({ readonly result: PackedResult } | { readonly error: PackedError })

/** Something that a thread does until it is stopped, telling about it again and again. */
export interface Stream {
  readonly nth: number
  readonly stream: string
  readonly request: unknown
}

/** Calls that were made together travel together: a message for each would cost more than many calls do. */
export type ToThread =
  | { readonly calls: readonly Call[] }
  | { readonly start: Stream }
  | { readonly seen: number }
  | { readonly stop: number }

export type FromThread =
  | { readonly ready: true }
  | { readonly failed: PackedError }
  | { readonly answers: readonly Answer[] }
  | { readonly signal: number; readonly value: unknown }
