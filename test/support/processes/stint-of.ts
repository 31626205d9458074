import { writeSync } from 'node:fs'
import { createStint } from '../../../src/engine/create-stint.ts'
import type { Stint } from '../../../src/engine/stint.ts'

/** What a program that uses Stint is told. */
export interface StintOrders {
  readonly url: string
  readonly schema?: string
  /** Where handlers write down what they do. */
  readonly journal: string
  readonly artifactsDirectory: string
  readonly leaseMs: number
  readonly concurrency: number
  /** How long running jobs may go on after SIGTERM. */
  readonly graceMs: number
  /** How many submit at the same time. */
  readonly lanes: number
  /** Between two submissions of one lane. */
  readonly pauseMs: number
}

export function readStintOrders(): StintOrders {
  return JSON.parse(process.argv[2] ?? '') as StintOrders
}

export function openStintOf({ url, schema }: StintOrders): Promise<Stint> {
  // A program that works for ever must not outlive a run of tests that was killed: then this end of the pipe closes.
  process.stdin
    .on('end', () => process.exit(1))
    .on('error', () => process.exit(1))
    .resume()
  // It is no reason to go on, though: a program that has stopped ends by itself.
  if ('unref' in process.stdin && typeof process.stdin.unref === 'function') process.stdin.unref()
  return createStint({ url, ...(schema === undefined ? {} : { schema }) })
}

/** Written at once: what stays in a buffer dies with the process. */
export function say(line: string): void {
  writeSync(1, `${line}\n`)
}
