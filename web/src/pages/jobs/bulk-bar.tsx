import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { JobsQuery, JobView, OperationFilter } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { operate } from '../../actions/jobs.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { cappedText, numberText } from '../../ui/number.tsx'
import { useSay } from '../../ui/toasts.tsx'
import { OperationProgress } from './operation-progress.tsx'

/** How many requests are on their way at once. */
const atOnce = 8

/** What can be done to the jobs that are selected, or to all that match. It says which. */
export function BulkBar(props: {
  readonly query: JobsQuery
  readonly jobs: readonly JobView[]
  /** How many match, as far as they are loaded. */
  readonly matching: { readonly count: number; readonly more: boolean }
  readonly onClear: () => void
}) {
  const { query, jobs, onClear } = props
  const all = `all ${cappedText(props.matching)} that match`
  const [isAll, setIsAll] = useState(false)
  const [operation, setOperation] = useState<string | null>(null)
  const filter = filterOf(query)
  const live = jobs.filter(({ state }) => state !== 'final')
  const over = jobs.filter(({ state }) => state === 'final')
  if (operation !== null) return <OperationProgress id={operation} onClose={onClear} />
  return (
    <div
      className="border-line-strong bg-raise flex h-11 items-center gap-3 border-t px-6"
      role="toolbar"
      aria-label="Selected jobs"
    >
      <span className="font-semibold">{isAll ? `A${all.slice(1)}` : `${numberText(jobs.length)} selected`}</span>
      {isAll ? (
        <>
          <ActionButton
            kind="danger"
            action={operate({ action: 'cancel', filter }, all)}
            confirm={
              <p>Every job that matches the search and is not over is cancelled, also those that are not loaded.</p>
            }
            onDone={({ id }) => setOperation(id)}
          />
          <ActionButton
            action={operate({ action: 'retry', filter }, all)}
            confirm={
              <p>
                Every job that matches the search and is over runs again, as a new job; where the search says no status,
                every one that failed.
              </p>
            }
            onDone={({ id }) => setOperation(id)}
          />
        </>
      ) : (
        <>
          <Each
            label="Cancel"
            jobs={live}
            kind="danger"
            onDone={onClear}
            act={(client, id) => client.jobs.cancel(id)}
          />
          <Each label="Run again" jobs={over} onDone={onClear} act={(client, id) => client.jobs.retry(id)} />
        </>
      )}
      <span className="flex-1" />
      <Button kind="quiet" onClick={() => setIsAll(!isAll)}>
        {isAll ? 'Only those selected' : `A${all.slice(1)} instead`}
      </Button>
      <Button kind="quiet" onClick={onClear}>
        Clear
      </Button>
    </div>
  )
}

/** A button that does something to each of some jobs, a few at a time. */
function Each(props: {
  readonly label: string
  readonly kind?: 'danger'
  readonly jobs: readonly JobView[]
  readonly act: (client: ReturnType<typeof useSession>['client'], id: string) => Promise<unknown>
  readonly onDone: () => void
}) {
  const { label, jobs, act } = props
  const { client } = useSession()
  const queries = useQueryClient()
  const say = useSay()
  const [isBusy, setIsBusy] = useState(false)
  const run = async () => {
    setIsBusy(true)
    const refusals: string[] = []
    for (let i = 0; i < jobs.length; i += atOnce) {
      const done = await Promise.allSettled(jobs.slice(i, i + atOnce).map(({ id }) => act(client, id)))
      for (const each of done) if (each.status === 'rejected') refusals.push((each.reason as Error).message)
    }
    const [first] = refusals
    if (first === undefined) say('ok', `${label}: ${jobs.length} done`)
    else say('fail', `${label}: ${jobs.length - refusals.length} done, ${refusals.length} refused. ${first}`)
    void queries.invalidateQueries()
    props.onDone()
  }
  return (
    <Button disabled={isBusy || jobs.length === 0} onClick={() => void run()} {...(props.kind && { kind: props.kind })}>
      {label} {jobs.length}
    </Button>
  )
}

/** The same jobs, as an operation names them. */
function filterOf({ status, tasks: _, cursor: __, limit: ___, ...filter }: JobsQuery): OperationFilter {
  return status === undefined ? filter : { ...filter, status: status ?? 'FINISHED' }
}
