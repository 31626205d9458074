import {
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { StreamedEntry } from 'stint/client'
import { useEntries, useLiveState } from './live-context.tsx'

/** How often something is asked for where no stream tells of changes. */
export const pollMs = 5_000

export interface LiveOptions {
  /** Which entries of the log concern it. Default all. */
  readonly on?: (entry: StreamedEntry) => boolean
  /** It is read again at most so often, in milliseconds. Default 1,000. */
  readonly everyMs?: number
}

/** What the server says, asked again when something happened that concerns it; without a stream, now and then. */
export function useLiveQuery<Data>(
  options: UseQueryOptions<Data, Error, Data, QueryKey>,
  { on, everyMs = 1_000 }: LiveOptions = {},
): UseQueryResult<Data> {
  const queries = useQueryClient()
  const state = useLiveState()
  const { queryKey } = options
  const again = useThrottled(() => void queries.invalidateQueries({ queryKey }), everyMs)
  useEntries((entries) => {
    if (on === undefined || entries.some(on)) again()
  })
  return useQuery({ ...options, ...(state === 'polling' ? { refetchInterval: pollMs } : {}) })
}

/** Does it at once, and then at most once in so many milliseconds, the last time included. */
export function useThrottled(act: () => void, everyMs: number): () => void {
  const latest = useRef(act)
  latest.current = act
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const isWanted = useRef(false)
  useEffect(() => {
    return () => {
      if (timer.current !== null) clearTimeout(timer.current)
      timer.current = null
    }
  }, [])
  return () => {
    if (timer.current !== null) {
      isWanted.current = true
      return
    }
    const rest = () => {
      timer.current = setTimeout(() => {
        timer.current = null
        if (!isWanted.current) return
        isWanted.current = false
        latest.current()
        rest()
      }, everyMs)
    }
    latest.current()
    rest()
  }
}
