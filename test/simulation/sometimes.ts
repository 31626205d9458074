/** What has to happen in a set of runs, or the runs prove less than they seem to. */
export const rareThings = [
  'stale complete refused',
  'reply lost',
  'claim adopted',
  'rescued',
  'lease lost',
  'suspect charged',
  'follow-up carried out',
  'timeout',
  'expired',
  'snooze',
  'cancel while running',
  'replaced',
  'limit reached',
  'limit of a path reached',
  'rate reached',
  'limit changed',
  'resumed',
  'moved',
  'group finished',
  'group stopped',
  'group cancelled',
  'group reordered',
  'width reached',
  'started by a bound worker',
  'turns were shared',
] as const

/** The same for clusters in which some jobs are sharded. */
export const rareThingsOfShards = ['tasks gathered', 'slice repeated', 'task begun anew'] as const

/** The same for clusters in which some jobs need the values of others. */
export const rareThingsOfSlots = [
  'slot filled',
  'slot failed',
  'values resolved',
  'ran without a value',
  'skipped for want of a value',
  'output returned',
] as const

const all = [...rareThings, ...rareThingsOfShards, ...rareThingsOfSlots]

export type RareThing = (typeof all)[number]

/** Counts what only sometimes happens. */
export class Sometimes {
  readonly #counts = new Map<RareThing, number>()

  hit(thing: RareThing, times = 1): void {
    if (times > 0) this.#counts.set(thing, (this.#counts.get(thing) ?? 0) + times)
  }

  merge(other: Sometimes): void {
    for (const thing of all) this.hit(thing, other.count(thing))
  }

  count(thing: RareThing): number {
    return this.#counts.get(thing) ?? 0
  }

  /** What never happened. */
  missing(wanted: readonly RareThing[] = rareThings): readonly RareThing[] {
    return wanted.filter((thing) => this.count(thing) === 0)
  }
}
