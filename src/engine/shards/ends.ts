import type { RunFacts } from '../../core/job/events.ts'
import type { Progress } from '../../core/job/job.ts'

/** What an attempt at a sharded job or one of its tasks came to, if it is not the end of it. */
export class Planned {
  readonly shards: number
  constructor(shards: number) {
    this.shards = shards
  }
}

/** A slice: the state that it gave back, as JSON text. */
export class Sliced {
  readonly seq: number
  readonly state: string
  readonly done: boolean
  readonly progress: Progress | null
  readonly facts: RunFacts
  constructor(seq: number, state: string, done: boolean, progress: Progress | null, facts: RunFacts = {}) {
    this.seq = seq
    this.state = state
    this.done = done
    this.progress = progress
    this.facts = facts
  }
}
