import { type QueryKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Page } from 'stint/client'
import { useEntries, useLiveState } from './live-context.tsx'
import { type LiveOptions, pollMs, useThrottled } from './live-query.ts'

export interface RecordRows<Row> {
  readonly rows: readonly Row[]
  readonly error: Error | null
  readonly isLoading: boolean
  readonly isMore: boolean
  readonly isFetchingMore: boolean
  more(): void
  refresh(): void
}

export interface RecordRowsOptions extends LiveOptions {
  /** How often to ask also while there is a stream, for what the log does not tell of. */
  readonly refetchMs?: number
}

/** Pages of something that is listed by a cursor, read again when the log tells of a change. */
export function useRecordRows<Row>(
  queryKey: QueryKey,
  read: (page: { readonly cursor: string | null; readonly limit: number }) => Promise<Page<Row>>,
  { on, everyMs = 1_000, refetchMs }: RecordRowsOptions = {},
): RecordRows<Row> {
  const queries = useQueryClient()
  const live = useLiveState()
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read({ cursor: pageParam, limit: 100 }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }: Page<Row>) => cursor,
    refetchInterval: live === 'polling' ? pollMs : (refetchMs ?? false),
  })
  const again = useThrottled(() => void queries.invalidateQueries({ queryKey }), everyMs)
  useEntries((entries) => {
    if (on === undefined || entries.some(on)) again()
  })
  const { data, error, isLoading, hasNextPage: isMore, isFetchingNextPage: isFetchingMore } = list
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  return {
    ...{ rows, error, isLoading, isMore, isFetchingMore },
    more: () => void (isMore && !isFetchingMore && list.fetchNextPage()),
    refresh: () => void list.refetch(),
  }
}
