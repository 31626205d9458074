import { dayMs } from './search.ts'

/** A moment at which the clocks of a zone were changed. Offsets are milliseconds to be added to UTC. */
export interface OffsetChange {
  readonly at: number
  readonly before: number
  readonly after: number
}

/** A stretch of time: the offset at its start, and what changes after that, up to and with its end. */
interface Block {
  readonly offset: number
  readonly changes: readonly OffsetChange[]
}

const blockMs = 32 * dayMs
const blocksMax = 1_200
const zonesMax = 500

/**
 * The offsets of a time zone. JavaScript tells them only by formatting a moment, which is slow, so they are read once a day
 * and remembered by blocks of days. Since 1970 no zone has changed its clocks twice within six days.
 */
export class Zone {
  readonly #format: Intl.DateTimeFormat
  readonly #blocks = new Map<number, Block>()

  /** Throws a RangeError for a name that is not known. */
  constructor(name: string) {
    // With an hour and without a date, because nothing else is formatted as fast.
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, hour: 'numeric', timeZoneName: 'longOffset' })
  }

  offsetAt(instant: number): number {
    const { offset, changes } = this.#block(Math.floor(instant / blockMs))
    return changes.findLast(({ at }) => at <= instant)?.after ?? offset
  }

  /** The changes later than one moment, up to and with another, in order. */
  changesBetween(after: number, until: number): OffsetChange[] {
    const found: OffsetChange[] = []
    for (let i = Math.floor(after / blockMs); i <= Math.floor(until / blockMs); i++) {
      for (const change of this.#block(i).changes) if (change.at > after && change.at <= until) found.push(change)
    }
    return found
  }

  #block(index: number): Block {
    const known = this.#blocks.get(index)
    if (known !== undefined) return known
    const block = this.#readBlock(index * blockMs)
    remember(this.#blocks, index, block, blocksMax)
    return block
  }

  #readBlock(start: number): Block {
    const offset = this.#read(start)
    const changes: OffsetChange[] = []
    let before = offset
    for (let day = start; day < start + blockMs; day += dayMs) {
      const after = this.#read(day + dayMs)
      if (after !== before) changes.push({ at: this.#findChange(day, before), before, after })
      before = after
    }
    return { offset, changes }
  }

  /** The second of the day after which the offset is another than before. */
  #findChange(day: number, before: number): number {
    let low = 0
    let high = dayMs / 1_000
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.#read(day + middle * 1_000) === before) low = middle
      else high = middle
    }
    return day + high * 1_000
  }

  #read(instant: number): number {
    return readOffset(this.#format.format(instant))
  }
}

/** Reads what stands behind GMT in `5 AM GMT+05:30` and `11 PM GMT-00:44:30`. */
function readOffset(text: string): number {
  const offset = text.slice(text.indexOf('GMT') + 3)
  const [hours, minutes, seconds] = [offset.slice(1, 3), offset.slice(4, 6), offset.slice(7, 9)]
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return (offset.startsWith('-') ? -size : size) * 1_000
}

const zones = new Map<string, Zone>()

/** The zone of an IANA name, such as Europe/Berlin. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name)
  if (known !== undefined) return known
  const zone = new Zone(name)
  remember(zones, name, zone, zonesMax)
  return zone
}

/** Everything here can be read again, so a memory that is full may simply be emptied. */
function remember<Key, Value>(memory: Map<Key, Value>, key: Key, value: Value, max: number): void {
  if (memory.size >= max) memory.clear()
  memory.set(key, value)
}
