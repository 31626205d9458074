/** What is asked for next of one who takes part. */
export interface Share {
  readonly of: string
  /** How many jobs. */
  readonly count: number
  /** How many turns it has had. */
  readonly had: number
}

/** A job that may get a turn. */
export interface Contender {
  readonly isSuspect: boolean
}

/**
 * Who is next when several take turns: each gets its first job before anyone gets a second. Those who take part stand in
 * the order in which they joined. When one has nothing more and leaves, the others share its turns.
 */
export class Turns {
  /** How many turns each has had, in the order in which they joined. */
  readonly #had = new Map<string, number>()
  readonly #left = new Set<string>()

  join(names: readonly string[]): void {
    for (const name of names) if (!this.#had.has(name)) this.#had.set(name, 0)
  }

  leave(names: readonly string[]): void {
    for (const name of names) this.#left.add(name)
  }

  /** How many of those who take part have not had a turn. */
  get newcomers(): number {
    return this.#present().filter(({ had }) => had === 0).length
  }

  /** Who has the next turns, and how many of them. Whoever has had fewer than others comes first. */
  shares(turns: number): readonly Share[] {
    const present = this.#present()
    if (present.length === 0) return []
    let level = Math.min(...present.map(({ had }) => had))
    let left = turns
    const next = () => present.filter(({ had }) => had <= level)
    for (let whole = next().length; whole <= left; whole = next().length) {
      level += 1
      left -= whole
    }
    // What is left is not enough for one more of everybody.
    const last = new Set(next().slice(0, left))
    const shares = present.map((each) => {
      return { ...each, count: Math.max(0, level - each.had) + (last.has(each) ? 1 : 0) }
    })
    return shares.filter(({ count }) => count > 0)
  }

  /**
   * Of the first jobs of each, those that get the turns, in the order of the turns; no more suspects among them than
   * allowed.
   */
  deal<Job extends Contender>(
    shares: readonly Share[],
    found: ReadonlyMap<string, readonly Job[]>,
    suspectLimit: number,
  ): readonly Job[] {
    const jobsOf = ({ of }: Share) => found.get(of) ?? []
    const all = dealtOut(shares.map((share) => ({ had: share.had, jobs: jobsOf(share) })))
    const allowed = new Set(all.filter(({ isSuspect }) => isSuspect).slice(0, suspectLimit))
    const queues = shares.map((share) => {
      const jobs = jobsOf(share).filter((job) => !job.isSuspect || allowed.has(job))
      return { had: share.had, jobs: jobs.slice(0, share.count) }
    })
    return dealtOut(queues)
  }

  /** Each of these has had a turn. */
  note(names: readonly string[]): void {
    for (const name of names) {
      const had = this.#had.get(name)
      if (had !== undefined) this.#had.set(name, had + 1)
    }
  }

  /** Jobs that have had turns, one turn after the other. */
  inOrder<Job>(jobs: readonly Job[], nameOf: (job: Job) => string): readonly Job[] {
    const byName = Map.groupBy(jobs, nameOf)
    return dealtOut([...this.#had.keys()].map((name) => ({ had: 0, jobs: byName.get(name) ?? [] })))
  }

  #present(): readonly Omit<Share, 'count'>[] {
    return [...this.#had].filter(([name]) => !this.#left.has(name)).map(([of, had]) => ({ of, had }))
  }
}

function dealtOut<Job>(queues: readonly { readonly had: number; readonly jobs: readonly Job[] }[]): readonly Job[] {
  const placed = queues.flatMap(({ had, jobs }) => jobs.map((job, i) => ({ job, turn: had + i })))
  // Those of one turn stay in the order of who takes part.
  return placed.sort((a, b) => a.turn - b.turn).map(({ job }) => job)
}
