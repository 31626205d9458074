import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Json, ScheduleView } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { CopyAsMenu } from '../../actions/copy-as-menu.tsx'
import { deleteSchedule, disableSchedule, enableSchedule, triggerSchedule } from '../../actions/schedules.ts'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { JsonText } from '../../ui/json.tsx'
import { RecordPage, useRecord } from '../../ui/record-page.tsx'
import { Facts, PageBody, PageHead, PathTitle, Section } from '../../ui/section.tsx'
import { Answer } from '../../ui/states.tsx'
import { Ago, Duration, Time } from '../../ui/time.tsx'
import { BackfillDialog } from './backfill-dialog.tsx'
import { Calendar } from './calendar.tsx'
import { NextFires } from './next-fires.tsx'
import { RecentJobs } from './recent-jobs.tsx'
import { ScheduleStatus } from './schedule-status.tsx'
import { TemplateName } from './template-name.tsx'

/** So many fires are shown, with the changes of clocks within a year. */
const firesShown = 10
const yearMs = 366 * 86_400_000

const isOfSchedule = ({ eventType }: { readonly eventType: string }) => eventType.startsWith('schedule.')

export default function SchedulePage() {
  const { schedule: id = '' } = useParams({ strict: false }) as { schedule?: string }
  const { client } = useSession()
  const schedule = useRecord(['schedules', id], () => client.schedules.get(id), { on: isOfSchedule })
  return (
    <RecordPage title="Schedule" query={schedule}>
      {(found) => <Details schedule={found} />}
    </RecordPage>
  )
}

function Details({ schedule }: { readonly schedule: ScheduleView }) {
  const { client, may } = useSession()
  const [isBackfilling, setIsBackfilling] = useState(false)
  const { id, status, nextTriggerAt, updatedAt, timezone } = schedule
  const isThere = status !== 'DELETED'
  const outlook = useLiveQuery(
    {
      queryKey: ['schedules', id, 'fires', nextTriggerAt?.getTime() ?? null, updatedAt.getTime()],
      queryFn: () => client.schedules.outlook(id, { count: firesShown, until: new Date(Date.now() + yearMs) }),
    },
    { on: () => false },
  )
  return (
    <>
      <PageHead title={<PathTitle path={schedule.path} />} about={<ScheduleStatus schedule={schedule} />}>
        {isThere && (
          <>
            <ActionButton kind="primary" action={triggerSchedule(schedule)} />
            {may('admin') && <Button onClick={() => setIsBackfilling(true)}>Backfill …</Button>}
            <ActionButton action={schedule.enabled ? disableSchedule(schedule) : enableSchedule(schedule)} />
            <ActionButton
              kind="danger"
              action={deleteSchedule(schedule)}
              confirm={<p>It never fires again, and cannot be brought back. Its jobs stay.</p>}
            />
            <CopyAsMenu actions={[triggerSchedule(schedule), enableSchedule(schedule), disableSchedule(schedule)]} />
          </>
        )}
      </PageHead>
      <PageBody>
        <p className="border-line-strong border-t py-3 text-[15px]">{schedule.description}</p>
        {schedule.blocked !== null && <p className="text-fail pb-3">It stopped by itself: {schedule.blocked}</p>}
        <div className="grid grid-cols-[minmax(0,5fr)_minmax(0,6fr)] gap-x-10 gap-y-7 max-lg:grid-cols-1">
          <div className="min-w-0 space-y-7">
            <Section
              title="Next fires"
              aside={schedule.enabled ? <Ago at={nextTriggerAt} /> : 'it is off: these are not coming'}
            >
              <Answer query={outlook} rows={8}>
                {(found) => <NextFires outlook={found} zone={timezone} isOn={schedule.enabled} />}
              </Answer>
            </Section>
            <Section title="Settings">
              <Facts rows={factsOf(schedule)} />
              {Object.keys(schedule.overrides).length > 0 && (
                <div className="pt-3">
                  <JsonText value={schedule.overrides as unknown as Json} label="Copy what its jobs get" />
                </div>
              )}
            </Section>
          </div>
          <div className="min-w-0 space-y-7">
            <Calendar schedule={schedule} />
            <RecentJobs branch={schedule.path} />
          </div>
        </div>
      </PageBody>
      {isBackfilling && <BackfillDialog schedule={schedule} onClose={() => setIsBackfilling(false)} />}
    </>
  )
}

const overlaps = {
  allow: 'jobs of several fires may run at once',
  skip: 'a fire is left out while an earlier job lives',
  'queue-one': 'one waits while an earlier job lives, more are left out',
  'cancel-running': 'an earlier job is cancelled',
} as const

const catchUps = { none: 'missed instants are left out', latest: 'the latest missed one fires' } as const

/** What has a `*` in its hour follows the time that passes, whatever clocks do. */
function isOfEveryHour(cron: string): boolean {
  return cron.trim().toLowerCase() === '@hourly' || (cron.trim().split(/\s+/).at(-4)?.includes('*') ?? false)
}

function factsOf(schedule: ScheduleView): readonly (readonly [string, ReactNode])[] {
  const { templateId, type, cron, intervalMs, timezone, catchUp, jitterMs, startAt, endAt, excludedDates } = schedule
  const isLocal = cron !== null && timezone !== 'UTC' && !isOfEveryHour(cron)
  return [
    ['Makes', templateId === null ? `jobs of the type ${type}` : <TemplateName key="template" id={templateId} />],
    cron === null ? ['Every', <Duration key="every" ms={intervalMs} />] : ['Cron', <code key="cron">{cron}</code>],
    ['Zone', timezone],
    ...(isLocal
      ? ([
          ['Left-out times', schedule.gap === 'shift' ? 'fire once, at the first moment after' : 'do not fire'],
          ['Doubled times', schedule.fold === 'both' ? 'fire both times' : `fire the ${schedule.fold} time`],
        ] as const)
      : []),
    ['Overlap', overlaps[schedule.overlap]],
    [
      'After downtime',
      catchUp.mode === 'all' ? (
        <span key="all">
          up to {catchUp.max} missed ones of the last <Duration ms={catchUp.windowMs} /> fire
        </span>
      ) : (
        catchUps[catchUp.mode]
      ),
    ],
    ...(jitterMs === 0
      ? []
      : ([
          [
            'Put off by',
            <span key="jitter">
              up to <Duration ms={jitterMs} />
            </span>,
          ],
        ] as const)),
    ...(startAt === null ? [] : ([['From', <Time key="from" at={startAt} />]] as const)),
    ...(endAt === null ? [] : ([['Until', <Time key="until" at={endAt} />]] as const)),
    ...(excludedDates.length === 0 ? [] : ([['Not on', excludedDates.join(', ')]] as const)),
    ['Last fire', <Ago key="last" at={schedule.lastTriggeredAt} />],
    ['Made', <Ago key="made" at={schedule.createdAt} />],
  ]
}
