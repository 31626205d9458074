import { useMemo, useState } from 'react'
import type { JobView } from 'stint/client'
import { useUrlState } from '../../../data/url-state.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { Choice, TextInput } from '../../../ui/field.tsx'
import { numberText } from '../../../ui/number.tsx'
import { Empty, Failure, Loading } from '../../../ui/states.tsx'
import { useRuns } from '../use-job.ts'
import { plainOf } from './ansi.ts'
import { LogLines } from './log-lines.tsx'
import { useLog } from './use-log.ts'

const snippet = "run: (ctx) => {\n  ctx.log('reading 120 products')\n}"

/** What an attempt wrote, followed while it runs. */
export default function LogsTab({ job }: { readonly job: JobView }) {
  const [{ attempt: asked, find = '', line }, setUrl] = useUrlState()
  const [isFollowing, setIsFollowing] = useState(line === undefined)
  const runs = useRuns(job)
  const attempts = runs.data?.items.map(({ attempt }) => attempt).filter((attempt) => attempt > 0) ?? []
  const attempt = Number(asked ?? attempts.at(-1) ?? job.attempt)
  const isRunning = job.status === 'RUNNING' && attempt === job.attempt
  const log = useLog(job, attempt, isRunning)
  const shown = useMemo(() => {
    const wanted = find.toLowerCase()
    return wanted === '' ? log.lines : log.lines.filter((each) => plainOf(each.line).toLowerCase().includes(wanted))
  }, [log.lines, find])
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="border-line flex h-11 items-center gap-3 border-b px-6">
        <Choice
          aria-label="Attempt"
          className="w-32!"
          value={String(attempt)}
          onChange={(event) => setUrl({ attempt: event.target.value, line: '' })}
          options={[...new Set([...attempts, attempt])].map((each) => [String(each), `Attempt ${each}`])}
        />
        <TextInput
          type="search"
          aria-label="Find in the log"
          placeholder="Find in the log"
          className="w-64!"
          value={find}
          onChange={(event) => setUrl({ find: event.target.value })}
        />
        <span className="text-ink-3" role="status">
          {find === ''
            ? `${numberText(log.lines.length)} lines`
            : `${numberText(shown.length)} of ${numberText(log.lines.length)} lines`}
        </span>
        <span className="flex-1" />
        {isRunning && (
          <Button kind="quiet" aria-pressed={isFollowing} onClick={() => setIsFollowing(!isFollowing)}>
            {isFollowing ? 'Following' : 'Follow'}
          </Button>
        )}
        <CopyButton text={shown.map((each) => plainOf(each.line)).join('\n')} label="Copy the log" />
      </div>
      {log.error !== null && (
        <div className="px-6">
          <Failure error={log.error} />
        </div>
      )}
      {shown.length > 0 ? (
        <LogLines
          lines={shown}
          isFollowing={isFollowing && isRunning}
          marked={line === undefined ? null : Number(line)}
          onMark={(seq) => setUrl({ line: String(seq), attempt: String(attempt) })}
          onScrollUp={() => setIsFollowing(false)}
        />
      ) : (
        <div className="px-6">{log.isRead || attempt === 0 ? <NoLines isFinding={find !== ''} /> : <Loading />}</div>
      )}
    </div>
  )
}

function NoLines({ isFinding }: { readonly isFinding: boolean }) {
  if (isFinding) return <Empty title="No line has this text." />
  return (
    <Empty title="Nothing was written." snippet={snippet}>
      What a handler writes with <code>ctx.log</code>, and what a command prints, stands here while it runs and after:
    </Empty>
  )
}
