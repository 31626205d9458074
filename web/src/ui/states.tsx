import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { StintError } from 'stint/client'
import { Button } from './button.tsx'
import { Copyable } from './copy.tsx'
import { WarningIcon } from './icons.tsx'

/** Lines where text will be, only after a moment: what comes at once needs no announcement. */
export function Loading({ rows = 5 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="fade-late py-2">
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
        <div key={i} className="border-line flex h-8 items-center border-b">
          <div className="bg-line h-2 rounded-full" style={{ width: `${30 + ((i * 37) % 50)}%` }} />
        </div>
      ))}
    </div>
  )
}

/** What a page is for, and how it gets its first content. */
export function Empty(props: {
  readonly title: string
  readonly children?: ReactNode
  /** A command that would fill it. */
  readonly snippet?: string
}) {
  return (
    <div className="max-w-[46rem] py-8">
      <p className="font-semibold">{props.title}</p>
      {props.children !== undefined && <div className="text-ink-2 mt-1 max-w-prose">{props.children}</div>}
      {props.snippet !== undefined && (
        <div className="mt-3">
          <Copyable text={props.snippet} />
        </div>
      )}
    </div>
  )
}

export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  return (
    <div role="alert" className="max-w-[46rem] py-6">
      <p className="text-fail flex items-center gap-2 font-semibold">
        <WarningIcon />
        {titleOf(error)}
      </p>
      <p className="text-ink-2 mt-1 break-words">{error.message}</p>
      {retry !== undefined && (
        <Button className="mt-3" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

function titleOf(error: Error): string {
  if (!(error instanceof StintError)) return 'Something went wrong here'
  if (error.code === 'unreachable') return 'The server does not answer'
  if (error.code === 'not_found' || error.code === 'invalid_id') return 'There is no such thing'
  return error.code === 'forbidden' ? 'This key may not see it' : `Refused: ${error.code}`
}

/** What a query gave, or how it stands. What was there before stays while it is read again, or cannot be. */
export function Answer<Data>(props: {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  readonly rows?: number
  readonly children: (data: Data) => ReactNode
}) {
  const { data, error, refetch } = props.query
  if (data !== undefined) return props.children(data)
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />
  return <Loading {...(props.rows === undefined ? {} : { rows: props.rows })} />
}
