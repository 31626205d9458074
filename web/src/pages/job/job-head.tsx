import { Link, useNavigate } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import type { JobView } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { CopyAsMenu } from '../../actions/copy-as-menu.tsx'
import { cancelJob, moveJob, retryJob } from '../../actions/jobs.ts'
import { addressOf } from '../../data/ids.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { JobStatus } from '../../ui/status.tsx'
import { Ago, Elapsed } from '../../ui/time.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { ProgressLine } from './progress-line.tsx'
import { useHistory, useNotes } from './use-job.ts'

/** What a job is, how it stands, why, and what can be done about it. */
export function JobHead({ job }: { readonly job: JobView }) {
  return (
    <header className="px-6 pt-4 pb-3">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
        <h1 className="flex min-w-0 items-center gap-2 font-mono text-[15px]">
          <NamePath name={job.name} />
          <CopyButton text={job.name} label="Copy the name" />
        </h1>
        <JobActions job={job} />
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-x-5 gap-y-1">
        <JobStatus job={job} large />
        <Fact name="type">{job.type}</Fact>
        <Attempts job={job} />
        <Fact name="created">
          <Ago at={job.createdAt} />
        </Fact>
        {job.startedAt !== null && (
          <Fact name={job.finishedAt === null ? 'for' : 'took'}>
            <Elapsed from={job.startedAt} to={job.finishedAt} />
          </Fact>
        )}
        {job.priority !== 0 && <Fact name="priority">{job.priority}</Fact>}
        {job.key !== null && <Fact name="key">{job.key}</Fact>}
        {Object.entries(job.labels).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </div>
      {job.reason !== null && <p className="mt-1.5 break-words">{capital(job.reason)}.</p>}
      {job.error !== null && (
        <p className="text-fail mt-1.5 max-h-16 overflow-y-auto break-words whitespace-pre-wrap">{job.error}</p>
      )}
      <Progress job={job} />
    </header>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <span className="whitespace-nowrap">
      <span className="text-ink-3">{name}</span> {children}
    </span>
  )
}

/** Each part of the name leads to its branch. */
function NamePath({ name }: { readonly name: string }) {
  const parts = name.slice(1).split('/')
  return (
    <span dir="rtl" className="truncate text-left font-normal" title={name}>
      <bdi dir="ltr">
        {parts.map((part, i) => {
          const path = `/${parts.slice(0, i + 1).join('/')}`
          return (
            <Fragment key={path}>
              <span className="text-ink-3">/</span>
              {i === parts.length - 1 ? (
                <span>{part}</span>
              ) : (
                <Link to="/tree" search={{ path } as never} className="text-ink-2 hover:text-ink hover:underline">
                  {part}
                </Link>
              )}
            </Fragment>
          )
        })}
      </bdi>
    </span>
  )
}

/** How many tries, of how many: that stands in the event of its creation. */
function Attempts({ job }: { readonly job: JobView }) {
  const history = useHistory(job)
  const created = history.data?.items.find(({ eventType }) => eventType === 'job.created')
  const retry = created?.attributes['retry'] as { readonly maxAttempts?: number } | undefined
  return (
    <Fact name="attempt">
      {job.attempt}
      {retry?.maxAttempts !== undefined && <span className="text-ink-3"> of {retry.maxAttempts}</span>}
    </Fact>
  )
}

function Progress({ job }: { readonly job: JobView }) {
  const { data } = useNotes(job)
  const progress = data?.progress
  if (!progress || job.state === 'final') return null
  return <ProgressLine done={progress.done} total={progress.total} />
}

function JobActions({ job }: { readonly job: JobView }) {
  const { may } = useSession()
  const navigate = useNavigate()
  const [isEditing, setIsEditing] = useState(false)
  const isOver = job.state === 'final'
  const isWaiting = job.status === 'QUEUED' && job.attempt === 0
  const open = ({ id }: { readonly id: string }) =>
    void navigate({ to: '/jobs/$job', params: { job: addressOf(id) } as never })
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isWaiting && may('submit') && <Button onClick={() => setIsEditing(true)}>Edit …</Button>}
      {isWaiting && <ActionButton action={moveJob(job, 'front')} />}
      {isWaiting && <ActionButton action={moveJob(job, 'end')} />}
      {isOver && <ActionButton action={retryJob(job)} onDone={open} />}
      {!isOver && (
        <ActionButton
          kind="danger"
          action={cancelJob(job)}
          confirm={
            <p>
              <code>{job.name}</code> and everything below its name that is not over is cancelled. What runs is told to
              stop.
            </p>
          }
        />
      )}
      <CopyAsMenu
        actions={
          isOver
            ? [retryJob(job)]
            : [
                cancelJob(job),
                cancelJob(job, { branch: false }),
                ...(isWaiting ? [moveJob(job, 'front'), moveJob(job, 'end')] : []),
              ]
        }
      />
      {isEditing && <EditDialog job={job} onClose={() => setIsEditing(false)} />}
    </div>
  )
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
