import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { StreamedEntry } from 'stint/client'
import { Live, type LiveState, type News } from './live.ts'
import { useSession } from './session.tsx'

const LiveContext = createContext<Live | null>(null)

export function LiveProvider({ children }: { children: ReactNode }) {
  const { client, access } = useSession()
  const queries = useQueryClient()
  const [live, setLive] = useState<Live | null>(null)
  useEffect(() => {
    const made = new Live(client, `${access.actor} ${access.path ?? ''}`)
    const stopListening = made.listen((news) => {
      if ('missed' in news) void queries.invalidateQueries()
    })
    const stop = made.start()
    setLive(made)
    return () => {
      stopListening()
      stop()
    }
  }, [client, access, queries])
  return <LiveContext value={live}>{children}</LiveContext>
}

export function useLiveState(): LiveState {
  const live = use(LiveContext)
  return useSyncExternalStore(live?.onState ?? never, () => live?.state ?? 'connecting')
}

function never(): () => void {
  return () => undefined
}

/** Calls back with entries of the log as they come. */
export function useEntries(onEntries: (entries: readonly StreamedEntry[]) => void): void {
  const live = use(LiveContext)
  const latest = useRef(onEntries)
  latest.current = onEntries
  useEffect(() => {
    return live?.listen((news: News) => {
      if ('entries' in news) latest.current(news.entries)
    })
  }, [live])
}

/** The newest entries since the dashboard was opened, in their order, as long as nobody holds them. */
export function useRecentEntries(isHeld: boolean): readonly StreamedEntry[] {
  const live = use(LiveContext)
  const [entries, setEntries] = useState<readonly StreamedEntry[]>(live?.recent ?? [])
  useEffect(() => {
    if (live === null || isHeld) return
    setEntries(live.recent)
    return live.listen(() => setEntries(live.recent))
  }, [live, isHeld])
  return entries
}
