import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ScheduleView, TimingOptions } from 'stint/client'
import { ActionDialog } from '../../actions/action-dialog.tsx'
import { createSchedule } from '../../actions/schedules.ts'
import { useTimeZone } from '../../data/preferences.tsx'
import { useSession } from '../../data/session.tsx'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { JsonField, readObject } from '../../ui/json-field.tsx'
import { Time } from '../../ui/time.tsx'
import { clockText, dayText } from './zone-time.ts'

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
  (zone) => [zone, zone] as const,
)

/** A cron expression, or so many seconds. */
function timingOf(when: string, timezone: string): TimingOptions {
  const [, seconds] = /^every (\d+)\s*s$/.exec(when.trim()) ?? []
  return seconds === undefined ? { cron: when.trim(), timezone } : { intervalMs: Number(seconds) * 1_000, timezone }
}

/** A schedule, with its times in words while it is written. */
export function NewScheduleDialog(props: {
  readonly onClose: () => void
  readonly onMade: (schedule: ScheduleView) => void
}) {
  const [form, setForm] = useState({ path: '', of: '', when: '30 8 * * 1-5', zone: 'UTC', params: '' })
  const set = (name: keyof typeof form) => (event: { target: { value: string } }) => {
    setForm({ ...form, [name]: event.target.value })
  }
  const timing = timingOf(form.when, form.zone)
  const params = readObject(form.params)
  const what = form.of.startsWith('/') ? { template: form.of } : { type: form.of }
  const given = params.value === undefined ? {} : { params: params.value }
  return (
    <ActionDialog
      title="New schedule"
      action={createSchedule({ path: form.path, ...what, ...timing, ...given } as never)}
      onClose={props.onClose}
      onDone={props.onMade}
      disabled={form.path === '' || form.of === '' || params.error !== null}
      wide
    >
      <div className="grid grid-cols-2 gap-3">
        <Field label="Path" hint="Its jobs are named below it, by their instants.">
          {(attributes) => (
            <TextInput
              {...attributes}
              data-first
              required
              className="font-mono"
              placeholder="/reports/daily"
              value={form.path}
              onChange={set('path')}
            />
          )}
        </Field>
        <Field label="Makes jobs of" hint="A type, or the path of a template.">
          {(attributes) => <TextInput {...attributes} required value={form.of} onChange={set('of')} />}
        </Field>
        <Field label="When" hint="A cron expression of 5 or 6 fields, @daily, or every 90 s.">
          {(attributes) => (
            <TextInput {...attributes} required className="font-mono" value={form.when} onChange={set('when')} />
          )}
        </Field>
        <Field label="Zone">
          {(attributes) => <Choice {...attributes} options={zones} value={form.zone} onChange={set('zone')} />}
        </Field>
      </div>
      <Preview timing={timing} zone={form.zone} />
      <JsonField
        label="Params"
        rows={2}
        text={form.params}
        error={params.error}
        onChange={(text) => setForm({ ...form, params: text })}
      />
    </ActionDialog>
  )
}

function Preview({ timing, zone }: { readonly timing: TimingOptions; readonly zone: string }) {
  const { client } = useSession()
  const isHere = useTimeZone() === zone
  const outlook = useQuery({
    queryKey: ['schedules', 'preview', timing],
    queryFn: () => client.schedules.previewTiming(timing, { count: 4 }),
    placeholderData: (before) => before,
  })
  if (outlook.error !== null) return <p className="text-fail">{outlook.error.message}</p>
  return (
    <div className="border-line border-y py-2" aria-live="polite">
      <p className="font-semibold">{outlook.data?.description ?? '…'}</p>
      <ol className="text-ink-2 mt-1 grid grid-cols-2 gap-x-6">
        {outlook.data?.fires.map((at) => (
          <li key={at.getTime()}>
            {dayText(zone, at)} {clockText(zone, at)}
            {!isHere && (
              <span className="text-ink-3">
                {' '}
                · here <Time at={at} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}
