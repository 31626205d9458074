import type { QueryKey, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { StintError } from 'stint/client'
import { type LiveOptions, useLiveQuery } from '../data/live-query.ts'
import { PageBody, PageHead } from './section.tsx'
import { Answer } from './states.tsx'

/** One thing of which a page is. What is not there, or not for this key, is an error that says so. */
export function useRecord<View>(
  queryKey: QueryKey,
  get: () => Promise<View | null>,
  live: LiveOptions,
): UseQueryResult<View> {
  const queryFn = async () => {
    const found = await get()
    if (found === null) throw new StintError('not_found', 'It is not there, or this key does not see it.')
    return found
  }
  return useLiveQuery({ queryKey, queryFn }, live)
}

/** The page of it; until it is there, or when it is not, one that says how it stands. */
export function RecordPage<View>(props: {
  readonly title: string
  readonly query: Pick<UseQueryResult<View>, 'data' | 'error' | 'refetch'>
  readonly children: (view: View) => ReactNode
}) {
  const { title, query, children } = props
  if (query.data !== undefined) return children(query.data)
  return (
    <>
      <PageHead title={title} />
      <PageBody>
        <Answer query={query} rows={12}>
          {children}
        </Answer>
      </PageBody>
    </>
  )
}
