import type { Call } from './call.ts'
import type { Reader } from './values.ts'

/** What is completed from the server when somebody presses Tab. */
export type Completion = 'job' | 'type' | 'schedule' | 'template' | 'group' | 'slot' | 'file'

export interface ArgumentSpec {
  readonly about: string
  readonly optional?: true
  /** Takes all that follow. */
  readonly many?: true
  readonly value?: Reader<unknown>
  readonly complete?: Completion
}

export interface OptionSpec {
  readonly about: string
  /** One letter. */
  readonly short?: string
  /** Without it the option is a flag. */
  readonly value?: Reader<unknown>
  /** May be given more than once. */
  readonly many?: true
  /** `--no-<name>`: true unless it is given. */
  readonly negated?: true
  readonly complete?: Completion
}

type ValueOf<S> = S extends { readonly value: Reader<infer T> } ? T : string

export type ArgumentValues<A> = {
  readonly [K in keyof A]: A[K] extends { readonly many: true }
    ? readonly ValueOf<A[K]>[]
    : A[K] extends { readonly optional: true }
      ? ValueOf<A[K]> | undefined
      : ValueOf<A[K]>
}

export type OptionValues<O> = {
  readonly [K in keyof O]: O[K] extends { readonly value: Reader<infer T> }
    ? O[K] extends { readonly many: true }
      ? readonly T[]
      : T | undefined
    : boolean
}

/** What a command works on: a server (or with `--db` a database, as if there were one), a database, or neither. */
export type Needs = 'server' | 'database' | 'nothing'

/** One thing that `stint` can do. Its help, its completion and its part of the reference page are made of this. */
export interface Command<A = Record<string, ArgumentSpec>, O = Record<string, OptionSpec>> {
  /** One word, or two: `schedule preview`. */
  readonly name: string
  /** One sentence. */
  readonly summary: string
  /** What else there is to know, in lines. */
  readonly details?: string
  readonly needs: Needs
  /** Whether it prints data, in the format of `--output`. */
  readonly prints?: true
  readonly args?: A
  readonly options?: O
  /** What to type, and what it does. */
  readonly examples: readonly (readonly [typed: string, does: string])[]
  /** Not shown. */
  readonly hidden?: true
  run(call: Call<ArgumentValues<A>, OptionValues<O>>): Promise<void>
}

/** Lets the compiler see what the arguments and options of a command give to its `run`. */
export function command<
  const A extends Readonly<Record<string, ArgumentSpec>> = Record<never, never>,
  const O extends Readonly<Record<string, OptionSpec>> = Record<never, never>,
>(made: Command<A, O>): Command {
  return made as unknown as Command
}

/** `--max-attempts` of `maxAttempts`. */
export function flagOf(key: string, { negated }: OptionSpec): string {
  const name = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return negated ? `--no-${name}` : `--${name}`
}
