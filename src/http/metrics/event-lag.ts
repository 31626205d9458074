import type { Stint } from '../../engine/stint.ts'
import type { Store } from '../../store/store.ts'
import type { Labelled } from './open-metrics.ts'

export interface EventLags {
  readonly readers: readonly Labelled[]
  readonly heldBack: readonly Labelled[]
}

/** How far those who follow the log are behind it, and how far all of them are kept from its end. */
export async function eventLags({ store, tail }: Stint, now: number): Promise<EventLags> {
  const webhooks = await store.control('webhook.active', {})
  const behind = await Promise.all(
    [...new Set(webhooks.map(({ cursor }) => cursor))].map((at) => lagOf(store, at, now)),
  )
  const streams = tail.isFollowed ? await lagOf(store, tail.position, now) : 0
  return {
    readers: [
      { labels: { reader: 'streams' }, value: streams },
      { labels: { reader: 'webhooks' }, value: Math.max(0, ...behind) },
    ],
    heldBack: await heldBack(store, now),
  }
}

/** How old the first entry behind a place is. */
async function lagOf(store: Store, after: string, now: number): Promise<number> {
  const { entries } = await store.events({ after, limit: 1 })
  return seconds(entries[0]?.receivedAt ?? now, now)
}

async function heldBack(store: Store, now: number): Promise<readonly Labelled[]> {
  const held = (await store.heldBack?.()) ?? null
  if (held === null) return [{ labels: { by: '' }, value: 0 }]
  return [{ labels: { by: held.by ?? 'unknown' }, value: seconds(held.since, now) }]
}

function seconds(since: number, now: number): number {
  return Math.max(0, now - since) / 1_000
}
