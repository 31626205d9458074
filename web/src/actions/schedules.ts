import type { BackfillView, Client, FiredView, ScheduleView } from 'stint/client'
import { type Action, literal, quoted } from './action.ts'

type Named = Pick<ScheduleView, 'id' | 'path'>
type NewSchedule = Parameters<Client['schedules']['create']>[0]

export function triggerSchedule({ id, path }: Named): Action<FiredView> {
  return {
    label: 'Trigger now',
    done: `${path} was triggered`,
    role: 'submit',
    request: { method: 'POST', path: `/schedules/${id}/trigger`, body: {} },
    cli: `stint schedule trigger ${quoted(path)}`,
    code: `await client.schedules.trigger(${literal(path)})`,
    run: async (client) => {
      const fired = await client.schedules.trigger(id)
      if (fired.outcome === 'created') return fired
      throw new Error(fired.error ?? 'It was skipped: a job of an earlier fire is not over yet.')
    },
  }
}

export function enableSchedule({ id, path }: Named): Action {
  return {
    label: 'Enable',
    done: `${path} fires from now on`,
    role: 'admin',
    request: { method: 'POST', path: `/schedules/${id}/enable` },
    cli: `stint schedule enable ${quoted(path)}`,
    code: `await client.schedules.enable(${literal(path)})`,
    run: (client) => client.schedules.enable(id),
  }
}

export function disableSchedule({ id, path }: Named): Action {
  return {
    label: 'Disable',
    done: `${path} does not fire until it is enabled again`,
    role: 'admin',
    request: { method: 'POST', path: `/schedules/${id}/disable` },
    cli: `stint schedule disable ${quoted(path)}`,
    code: `await client.schedules.disable(${literal(path)})`,
    run: (client) => client.schedules.disable(id),
  }
}

export function deleteSchedule({ id, path }: Named): Action {
  return {
    label: 'Delete',
    done: `${path} never fires again`,
    role: 'admin',
    request: { method: 'DELETE', path: `/schedules/${id}` },
    cli: `stint schedule delete ${quoted(path)}`,
    code: `await client.schedules.delete(${literal(path)})`,
    run: (client) => client.schedules.delete(id),
  }
}

export function createSchedule(schedule: NewSchedule): Action<ScheduleView> {
  const { path, cron, intervalMs, timezone, type, template, params } = schedule
  const flags = Object.entries({
    cron,
    every: intervalMs == null ? null : `${intervalMs}ms`,
    zone: timezone,
    type,
    template,
    params: params === undefined ? null : JSON.stringify(params),
  }).flatMap(([name, value]) => (value == null ? [] : [` --${name} ${quoted(value)}`]))
  return {
    label: 'Make the schedule',
    done: `${path} fires from now on`,
    role: 'admin',
    request: { method: 'POST', path: '/schedules', body: schedule },
    cli: `stint schedule create ${quoted(path)}${flags.join('')}`,
    code: `await client.schedules.create(${JSON.stringify(schedule)})`,
    run: (client) => client.schedules.create(schedule),
  }
}

export interface Backfill {
  readonly from: Date
  readonly to: Date
  readonly reprocess: 'none' | 'failed' | 'all'
}

export function backfillSchedule(
  { id, path }: Named,
  { from, to, reprocess }: Backfill,
): Action<readonly BackfillView[]> {
  const range = { from: from.toISOString(), to: to.toISOString(), reprocess }
  return {
    label: 'Backfill',
    done: `${path} fires for the time that has passed`,
    role: 'admin',
    request: { method: 'POST', path: `/schedules/${id}/backfill`, body: range },
    cli: `stint schedule backfill ${quoted(path)} --from ${range.from} --to ${range.to} --reprocess ${reprocess}`,
    code: `await client.schedules.backfill(${literal(path)}, ${JSON.stringify(range)})`,
    run: (client) => client.schedules.backfill(id, { from, to, reprocess }),
  }
}
