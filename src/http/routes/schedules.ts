import { z } from 'zod'
import { outlookOf, type TimingOptions } from '../../engine/preview-fires.ts'
import type { NewScheduleOptions, ScheduleOptions } from '../../engine/schedules-api.ts'
import { type Route, route } from '../route.ts'
import { instant, page, recordRef, wholeNumber } from '../schemas/common.ts'
import {
  backfill,
  backfilled,
  fired,
  fires,
  newSchedule,
  preview,
  schedule,
  scheduleChanges,
  trigger,
} from '../schemas/schedules.ts'
import { defined, found, recordsOf, recordsQuery } from './common.ts'

const tag = 'Schedules'

const params = z.strictObject({ schedule: recordRef })

/** What the library calls a job may also be a definition, which cannot be sent. */
function optionsOf<Options>({ type, ...options }: z.output<typeof scheduleChanges>): Options {
  return { ...options, ...(type === undefined ? {} : { job: type }) } as Options
}

export const scheduleRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/schedules',
    id: 'createSchedule',
    tag,
    summary: 'Makes a schedule. It fires from now on, unless `enabled` is false.',
    role: 'admin',
    body: newSchedule,
    status: 201,
    response: schedule,
    run: ({ stint, body }) => stint.schedules.create(optionsOf<NewScheduleOptions>(body)),
  }),
  route({
    method: 'post',
    path: '/schedules/preview',
    id: 'previewSchedule',
    tag,
    summary: 'The next fires of a schedule that need not be there.',
    role: 'read',
    body: preview,
    response: fires,
    run: ({ body: { count, from, until, ...timing } }) => {
      return outlookOf(timing as TimingOptions, defined({ count, from, until }))
    },
  }),
  route({
    method: 'get',
    path: '/schedules',
    id: 'listSchedules',
    tag,
    summary: 'Schedules, the newest first; with `all`, those that are deleted, too.',
    role: 'read',
    query: recordsQuery,
    response: page(schedule),
    run: ({ stint, query }) => stint.schedules.list(recordsOf(stint, query)),
  }),
  route({
    method: 'get',
    path: '/schedules/{schedule}',
    id: 'getSchedule',
    tag,
    summary: 'A schedule.',
    role: 'read',
    params,
    response: schedule,
    run: async ({ stint, params: { schedule: id } }) => found('schedule', id, await stint.schedules.get(id)),
  }),
  route({
    method: 'get',
    path: '/schedules/{schedule}/fires',
    id: 'listFires',
    tag,
    summary: 'When a schedule fires next, if it is enabled, and which changes of clocks fall between.',
    role: 'read',
    params,
    query: z.strictObject({
      count: wholeNumber(1, 1_000).optional().meta({ description: 'At most so many. Default 10.' }),
      from: instant.optional().meta({ description: 'Only later ones. Default now.' }),
      until: instant.optional().meta({ description: 'Only up to then. Default any.' }),
    }),
    response: fires,
    run: ({ stint, params: { schedule: id }, query }) => stint.schedules.outlook(id, defined(query)),
  }),
  route({
    method: 'patch',
    path: '/schedules/{schedule}',
    id: 'changeSchedule',
    tag,
    summary: 'Changes a schedule. New times hold from now on.',
    role: 'admin',
    params,
    body: scheduleChanges,
    response: schedule,
    run: ({ stint, params: { schedule: id }, body }) => stint.schedules.update(id, optionsOf<ScheduleOptions>(body)),
  }),
  route({
    method: 'delete',
    path: '/schedules/{schedule}',
    id: 'deleteSchedule',
    tag,
    summary: 'It never fires again. Its jobs stay.',
    role: 'admin',
    params,
    response: schedule,
    run: ({ stint, params: { schedule: id } }) => stint.schedules.delete(id),
  }),
  route({
    method: 'post',
    path: '/schedules/{schedule}/enable',
    id: 'enableSchedule',
    tag,
    summary: 'It fires from now on. What passed while it was off is not made up for.',
    role: 'admin',
    params,
    response: schedule,
    run: ({ stint, params: { schedule: id } }) => stint.schedules.enable(id),
  }),
  route({
    method: 'post',
    path: '/schedules/{schedule}/disable',
    id: 'disableSchedule',
    tag,
    summary: 'It does not fire until it is enabled again.',
    role: 'admin',
    params,
    response: schedule,
    run: ({ stint, params: { schedule: id } }) => stint.schedules.disable(id),
  }),
  route({
    method: 'post',
    path: '/schedules/{schedule}/trigger',
    id: 'triggerSchedule',
    tag,
    summary: 'Fires once, now, whether it is enabled or not.',
    role: 'submit',
    params,
    body: trigger,
    response: fired,
    run: ({ stint, params: { schedule: id }, body }) => stint.schedules.trigger(id, defined(body)),
  }),
  route({
    method: 'post',
    path: '/schedules/{schedule}/backfill',
    id: 'backfillSchedule',
    tag,
    summary: 'Fires for the instants of a time that has passed. With `dryRun` it only tells what it would do.',
    role: 'admin',
    params,
    body: backfill,
    response: page(backfilled),
    run: async ({ stint, params: { schedule: id }, body }) => {
      return { items: await stint.schedules.backfill(id, defined(body)), cursor: null }
    },
  }),
]
