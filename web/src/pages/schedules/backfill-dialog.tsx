import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ScheduleView } from 'stint/client'
import { ActionDialog } from '../../actions/action-dialog.tsx'
import { type Backfill, backfillSchedule } from '../../actions/schedules.ts'
import { useTimeZone } from '../../data/preferences.tsx'
import { useSession } from '../../data/session.tsx'
import { Choice, Field } from '../../ui/field.tsx'
import { MomentField, momentOf, momentText, useZone } from '../../ui/moment-field.tsx'
import { numberText } from '../../ui/number.tsx'
import { Answer } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { clockText, dayText } from './zone-time.ts'

const shownMax = 200

const choices = [
  ['none', 'Leave instants that fired before'],
  ['failed', 'Run again what failed'],
  ['all', 'Run all of them again'],
] as const

const actions = { run: 'runs', again: 'runs again', keep: 'stays as it is' } as const

/** Fires for a time that has passed, after a look at what that would do. */
export function BackfillDialog({
  schedule,
  onClose,
}: {
  readonly schedule: ScheduleView
  readonly onClose: () => void
}) {
  const zone = useZone()
  const isHere = useTimeZone() === schedule.timezone
  const { client } = useSession()
  const [from, setFrom] = useState(() => momentText(new Date(Date.now() - 86_400_000), zone))
  const [to, setTo] = useState(() => momentText(new Date(), zone))
  const [reprocess, setReprocess] = useState<Backfill['reprocess']>('none')
  const range = { from: momentOf(from, zone), to: momentOf(to, zone) }
  const isRange = range.from !== null && range.to !== null && range.from < range.to
  const asked: Backfill = { from: range.from ?? new Date(), to: range.to ?? new Date(), reprocess }
  const dry = useQuery({
    queryKey: ['schedules', schedule.id, 'backfill', from, to, reprocess, zone],
    queryFn: () => client.schedules.backfill(schedule.id, { ...asked, dryRun: true }),
    enabled: isRange,
    staleTime: 0,
  })
  const doing = dry.data?.filter(({ action }) => action !== 'keep').length ?? 0
  return (
    <ActionDialog
      title={`Backfill ${schedule.path}`}
      action={{
        ...backfillSchedule(schedule, asked),
        label: doing === 0 ? 'Backfill' : `Backfill ${numberText(doing)}`,
      }}
      onClose={onClose}
      disabled={!isRange || doing === 0}
      wide
    >
      <div className="grid grid-cols-3 gap-3 max-md:grid-cols-1">
        <MomentField label="From" text={from} onChange={setFrom} required />
        <MomentField label="To" text={to} onChange={setTo} required />
        <Field label="What fired before">
          {(attributes) => (
            <Choice
              {...attributes}
              options={choices}
              value={reprocess}
              onChange={(event) => setReprocess(event.target.value as Backfill['reprocess'])}
            />
          )}
        </Field>
      </div>
      {isRange ? (
        <Answer query={dry} rows={4}>
          {(items) => (
            <>
              <p role="status">
                {numberText(items.length)} instants in this time, of which <strong>{numberText(doing)}</strong>{' '}
                {doing === 1 ? 'makes a job' : 'make jobs'}.
              </p>
              <div className="border-line max-h-56 overflow-y-auto border-y">
                <table aria-label="What it would do" className="w-full">
                  <tbody>
                    {items.slice(0, shownMax).map(({ at, action }) => (
                      <tr key={at.getTime()} className="border-line h-[26px] border-b last:border-0">
                        <td className="w-36 whitespace-nowrap">{dayText(schedule.timezone, at)}</td>
                        <td className="w-20 font-semibold">{clockText(schedule.timezone, at)}</td>
                        <td className="text-ink-3">{!isHere && <Time at={at} />}</td>
                        <td className={action === 'keep' ? 'text-ink-3 text-right' : 'text-run text-right'}>
                          {actions[action]}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              {items.length > shownMax && <p className="text-ink-3">The first {shownMax} are shown.</p>}
            </>
          )}
        </Answer>
      ) : (
        <p className="text-fail">The end must be after the beginning.</p>
      )}
    </ActionDialog>
  )
}
