import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ScheduleView } from 'stint/client'
import { useRecordRows } from '../../data/record-rows.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { AllSwitch, PathFilter, useRecordsQuery } from '../../ui/path-filter.tsx'
import { PathLink } from '../../ui/path-link.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { PageHead } from '../../ui/section.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { NewScheduleDialog } from './new-schedule-dialog.tsx'
import { ScheduleStatus } from './schedule-status.tsx'
import { TemplateName } from './template-name.tsx'

const columns: readonly Column<ScheduleView>[] = [
  { title: 'Status', width: '7.5rem', cell: (schedule) => <ScheduleStatus schedule={schedule} /> },
  { title: 'Schedule', width: '24%', cell: ({ id, path }) => <PathLink to="/schedules" id={id} path={path} /> },
  { title: 'When', cell: ({ description }) => <span title={description}>{description}</span> },
  {
    title: 'Makes',
    width: '13rem',
    from: 'lg',
    cell: ({ type, templateId }) =>
      templateId === null ? <span className="text-ink-2">{type}</span> : <TemplateName id={templateId} />,
  },
  { title: 'Overlap', width: '7rem', from: 'xl', cell: ({ overlap }) => <span className="text-ink-2">{overlap}</span> },
  { title: 'Last', width: '6rem', align: 'right', from: 'md', cell: ({ lastTriggeredAt: at }) => <Ago at={at} /> },
  { title: 'Next', width: '6rem', align: 'right', cell: ({ nextTriggerAt }) => <Ago at={nextTriggerAt} /> },
]

const snippet = `await stint.schedules.create({
  path: '/reports/daily', job: 'report', cron: '30 8 * * 1-5', timezone: 'Europe/Berlin',
})`

export default function SchedulesPage() {
  const { client, may } = useSession()
  const navigate = useNavigate()
  const [isMaking, setIsMaking] = useState(false)
  const query = useRecordsQuery()
  const list = useRecordRows(['schedules', 'list', query], (page) => client.schedules.list({ ...query, ...page }), {
    on: ({ eventType }) => eventType.startsWith('schedule.'),
  })
  const open = (id: string) => void navigate({ to: `/schedules/${id}` })
  return (
    <>
      <PageHead title="Schedules">
        <AllSwitch label="Deleted, too" />
        <PathFilter placeholder="/reports" />
        {may('admin') && <Button onClick={() => setIsMaking(true)}>New schedule …</Button>}
      </PageHead>
      <RecordTable
        label="Schedules"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        onOpen={({ id }) => open(id)}
        empty={
          <Empty title="No schedules here." snippet={snippet}>
            A schedule makes jobs by time: by a cron expression in any zone, or every so often. Make one, and it
            appears:
          </Empty>
        }
      />
      {isMaking && <NewScheduleDialog onClose={() => setIsMaking(false)} onMade={({ id }) => open(id)} />}
    </>
  )
}
