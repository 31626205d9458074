import type { OutsideEvent } from './outside-event.ts'

/** One kind of outside event that a job waits for, and how many different ones of it. */
export interface AwaitedEvent {
  readonly eventType: string
  /** Attributes that the event must have with exactly these values. */
  readonly match: Readonly<Record<string, string | number | boolean | null>>
  readonly times: number
  /** The task the event must carry; null for any. */
  readonly taskId: string | null
}

/**
 * What completes a job from outside, and how far that is. The events form a set: `seen` holds the keys of the events
 * counted so far, sorted, one list for each awaited kind, so neither order nor repetition can change it. A kind that has
 * all it needs forgets its keys (null), so that the state does not depend on which of many events came first.
 */
export interface Awaits {
  readonly events: readonly AwaitedEvent[]
  readonly failOn: readonly string[]
  readonly seen: readonly (readonly string[] | null)[]
  /** The first terminal event decides; after it nothing that arrives changes the job. */
  readonly decided: null | 'complete' | { readonly failedBy: string }
}

export const awaitsLimits = { kinds: 32, times: 1_000 } as const

export function newAwaits(events: readonly AwaitedEvent[], failOn: readonly string[]): Awaits {
  return { events, failOn, seen: events.map(() => []), decided: null }
}

/** Folds one outside event in. The result is the same object when the event changes nothing. */
export function countEvent(awaits: Awaits, event: OutsideEvent): Awaits {
  if (awaits.decided !== null) return awaits
  if (awaits.failOn.includes(event.type)) return { ...awaits, decided: { failedBy: event.key } }
  const seen = awaits.events.map((awaited, i) => count(awaited, awaits.seen[i] ?? null, event))
  if (seen.every((keys, i) => keys === awaits.seen[i])) return awaits
  const complete = seen.every((keys) => keys === null)
  return { ...awaits, seen, decided: complete ? 'complete' : null }
}

function count(awaited: AwaitedEvent, seen: readonly string[] | null, event: OutsideEvent): readonly string[] | null {
  if (seen === null || !matches(awaited, event) || seen.includes(event.key)) return seen
  if (seen.length + 1 >= awaited.times) return null
  return [...seen, event.key].sort()
}

function matches(awaited: AwaitedEvent, event: OutsideEvent): boolean {
  if (awaited.eventType !== event.type) return false
  if (awaited.taskId !== null && awaited.taskId !== event.taskId) return false
  return Object.entries(awaited.match).every(([name, value]) => {
    return Object.hasOwn(event.attributes, name) && event.attributes[name] === value
  })
}
