import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import type { JobsQuery, JobView, Page, StreamedEntry } from 'stint/client'
import { uuidOf } from '../../data/ids.ts'
import { useEntries, useLiveState } from '../../data/live-context.tsx'
import { pollMs, useThrottled } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'

const pageSize = 100
/** A page of fewer is one of something rare. */
const denseMin = 50
/** As many as one request may name. */
const patchMax = 200

type Pages = InfiniteData<Page<JobView>, string | null>

export interface JobRows {
  readonly rows: readonly JobView[]
  readonly error: Error | null
  readonly isLoading: boolean
  readonly isMore: boolean
  readonly isFetchingMore: boolean
  /** Rows that changed within the last moment. */
  readonly changed: ReadonlySet<string>
  /** How many jobs the list would begin with that it does not show. */
  readonly newCount: number
  /** Whether there are at least so many. */
  readonly isNewCapped: boolean
  /** Reads on because somebody wants to. */
  more(): void
  /** Reads on because the end is in sight; not where what fits is rare, or it would go on through all jobs by itself. */
  onEnd(): void
  /** Begins anew, with what is new. */
  refresh(): void
}

/**
 * Jobs that fit, page by page. What happens to a job that is shown changes its row and leaves it where it is; jobs that would come
 * before the first are counted, and shown when that is asked for.
 */
export function useJobRows(query: JobsQuery, { isFrozen }: { readonly isFrozen: boolean }): JobRows {
  const { client } = useSession()
  const queries = useQueryClient()
  const live = useLiveState()
  const queryKey = useMemo(() => ['jobs', 'list', query], [query])
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => client.jobs.list({ ...query, cursor: pageParam, limit: pageSize }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    staleTime: Number.POSITIVE_INFINITY,
    ...(live === 'polling' && !isFrozen ? { refetchInterval: pollMs } : {}),
  })
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data])
  const known = useMemo(() => new Map(rows.map((job) => [uuidOf(job.id), job.id])), [rows])
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const [fresh, setFresh] = useState({ key: queryKey, count: 0, isCapped: false })
  const touched = useRef(new Set<string>())

  const refresh = () => {
    setFresh({ key: queryKey, count: 0, isCapped: false })
    // Only the first page: whoever scrolls down again reads the rest again.
    queries.setQueryData<Pages>(queryKey, (data) => {
      return data === undefined ? data : { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) }
    })
    void list.refetch()
  }

  const patch = useThrottled(() => {
    const ids = [...touched.current].slice(0, patchMax)
    touched.current.clear()
    if (ids.length === 0 || isFrozen) return
    void client.jobs.getMany(ids).then((jobs) => {
      queries.setQueryData<Pages>(queryKey, (data) => patched(data, jobs))
      setChanged(new Set(jobs.map(({ id }) => id)))
    }, ignore)
  }, 1_000)

  const count = useThrottled(() => {
    if (isFrozen) return
    void client.jobs.list({ ...query, limit: pageSize }).then(({ items, cursor }) => {
      // Where nothing is shown, nothing would move: what is new is shown at once.
      if (known.size === 0 && items.length > 0) return refresh()
      const unknown = items.filter(({ id }) => !known.has(uuidOf(id)))
      setFresh({ key: queryKey, count: unknown.length, isCapped: unknown.length === items.length && cursor !== null })
    }, ignore)
  }, 2_000)

  useEntries((entries: readonly StreamedEntry[]) => {
    let isOther = false
    for (const { jobId, taskId } of entries) {
      if (jobId === null || taskId !== null) continue
      const id = known.get(jobId)
      if (id === undefined) isOther = true
      else touched.current.add(id)
    }
    if (touched.current.size > 0) patch()
    if (isOther) count()
  })

  const more = () => {
    if (list.hasNextPage && !list.isFetching) void list.fetchNextPage()
  }
  const isFresh = fresh.key === queryKey
  return {
    rows,
    error: list.error,
    isLoading: list.isLoading,
    isMore: list.hasNextPage,
    isFetchingMore: list.isFetchingNextPage,
    changed,
    newCount: isFresh ? fresh.count : 0,
    isNewCapped: isFresh && fresh.isCapped,
    more,
    onEnd: () => {
      if ((list.data?.pages.at(-1)?.items.length ?? 0) >= denseMin) more()
    },
    refresh,
  }
}

/** What could not be read now is read at the next change. */
function ignore(): void {}

function patched(data: Pages | undefined, jobs: readonly JobView[]): Pages | undefined {
  if (data === undefined) return data
  const byId = new Map(jobs.map((job) => [job.id, job]))
  const pages = data.pages.map((page) => {
    const isConcerned = page.items.some(({ id }) => byId.has(id))
    return isConcerned ? { ...page, items: page.items.map((job) => byId.get(job.id) ?? job) } : page
  })
  return { ...data, pages }
}
