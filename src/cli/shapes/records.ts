import type { KeyView, RemoteWorker } from '../../client/views.ts'
import type { GroupView, MemberView } from '../../engine/groups-api.ts'
import type { BackfillView, FiredView, ScheduleView } from '../../engine/schedules-api.ts'
import type { SlotView } from '../../engine/slots/slots-api.ts'
import type { TemplateView } from '../../engine/templates-api.ts'
import type { LimitRow, PauseRow } from '../../store/store.ts'
import { agoText, durationText, timeText } from '../output/times.ts'
import { shapeOf } from './fields.ts'
import { valueText } from './job.ts'
import { statusOf } from './status.ts'

const path = { title: 'path', text: (item: { readonly path: string }) => item.path, column: 'shrinks' } as const
const label = { title: 'label', text: (item: { readonly label: string | null }) => item.label } as const
const id = { title: 'id', text: (item: { readonly id: string }) => item.id } as const
const status = {
  title: 'status',
  text: (item: { readonly status: string }) => item.status,
  column: 'plain',
  isStatus: true,
} as const
const created = {
  title: 'created',
  text: (item: { readonly createdAt: Date }) => `${timeText(item.createdAt)} (${agoText(item.createdAt)})`,
} as const

export const scheduleShape = shapeOf<ScheduleView>({
  name: (item) => item.path,
  none: 'No schedules.',
  fields: [
    status,
    path,
    label,
    { title: 'when', text: ({ description }) => description, column: 'shrinks' },
    { title: 'next', text: ({ nextTriggerAt }) => whenText(nextTriggerAt), column: 'plain' },
    { title: 'last', text: ({ lastTriggeredAt }) => whenText(lastTriggeredAt), column: 'plain' },
    { title: 'blocked', text: ({ blocked }) => blocked },
    { title: 'cron', text: ({ cron }) => cron },
    { title: 'every', text: ({ intervalMs }) => (intervalMs === null ? null : durationText(intervalMs)) },
    { title: 'zone', text: ({ timezone }) => timezone },
    { title: 'makes', text: ({ type, templateId }) => type ?? `of template ${templateId}` },
    { title: 'overlap', text: ({ overlap }) => overlap },
    { title: 'catch up', text: ({ catchUp }) => catchUp.mode },
    created,
    id,
  ],
})

function whenText(at: Date | null): string {
  return at === null ? '–' : `${timeText(at)} (${agoText(at)})`
}

export const templateShape = shapeOf<TemplateView>({
  name: (item) => item.path,
  none: 'No templates.',
  fields: [
    status,
    path,
    { title: 'type', text: ({ type }) => type, column: 'plain' },
    { ...label, column: 'shrinks' },
    { title: 'description', text: ({ description }) => description },
    { title: 'params', text: ({ params }) => (params === undefined ? null : valueText(params)) },
    { title: 'schema', text: ({ schema }) => (schema === null ? null : JSON.stringify(schema)) },
    created,
    id,
  ],
})

export const groupShape = shapeOf<GroupView>({
  name: (item) => item.path,
  none: 'No groups that are not over. --all shows the others, too.',
  fields: [
    status,
    path,
    {
      title: 'mode',
      text: ({ mode, width }) => (width === null ? mode : `${mode}, ${width} at once`),
      column: 'plain',
    },
    { title: 'done', text: ({ counts }) => `${counts.completed}/${counts.total}`, column: 'right' },
    { title: 'failed', text: ({ counts }) => String(counts.failed), column: 'right' },
    { ...label, column: 'shrinks' },
    { title: 'sealed', text: ({ sealed }) => (sealed ? 'yes' : 'no: its members wait') },
    { title: 'follows', text: ({ finish }) => finish?.name ?? null },
    created,
    id,
  ],
})

export const memberShape = shapeOf<MemberView>({
  name: (item) => item.name,
  none: 'No members.',
  fields: [
    { title: 'status', text: statusOf, column: 'plain', isStatus: true },
    { title: 'name', text: ({ name }) => name, column: 'shrinks' },
    { title: 'type', text: ({ type }) => type, column: 'plain' },
    { title: 'try', text: ({ attempt }) => String(attempt), column: 'right' },
    id,
  ],
})

export const slotShape = shapeOf<SlotView>({
  name: (item) => item.path,
  none: 'No slots.',
  fields: [
    status,
    path,
    { ...label, column: 'shrinks' },
    {
      title: 'value',
      text: ({ value, error }) => error ?? (value === null ? '' : JSON.stringify(value)),
      column: 'shrinks',
    },
    { title: 'due', text: ({ dueAt }) => (dueAt === null ? '' : whenText(dueAt)), column: 'plain' },
    { title: 'filled by', text: ({ filledBy }) => filledBy },
    created,
    id,
  ],
})

export const firedShape = shapeOf<FiredView>({
  name: ({ jobId }) => jobId ?? '',
  none: 'Nothing.',
  fields: [
    { title: 'instant', text: ({ at }) => at.toISOString(), column: 'plain' },
    { title: 'outcome', text: ({ outcome }) => outcome, column: 'plain' },
    { title: 'job', text: ({ jobId }) => jobId, column: 'plain' },
    { title: 'error', text: ({ error }) => error, column: 'shrinks' },
  ],
})

export const backfillShape = shapeOf<BackfillView>({
  name: ({ jobId }) => jobId ?? '',
  none: 'It would not have fired in that time.',
  fields: [
    { title: 'instant', text: ({ at }) => at.toISOString(), column: 'plain' },
    { title: 'action', text: ({ action }) => action, column: 'plain' },
    { title: 'job', text: ({ jobId }) => jobId, column: 'plain' },
    { title: 'error', text: ({ error }) => error, column: 'shrinks' },
  ],
})

export const limitShape = shapeOf<LimitRow>({
  name: ({ key }) => key,
  none: 'No limits.',
  fields: [
    { title: 'key', text: ({ key }) => key, column: 'shrinks' },
    { title: 'held', text: ({ held, concurrency }) => `${held}/${concurrency ?? '∞'}`, column: 'right' },
    {
      title: 'started',
      text: ({ started, rate }) => (rate === null ? '–' : `${started}/${rate.count} in ${durationText(rate.perMs)}`),
      column: 'right',
    },
    { title: 'waiting', text: ({ waiting }) => String(waiting), column: 'right' },
  ],
})

export const pauseShape = shapeOf<Omit<PauseRow, 'since'> & { readonly since: Date }>({
  name: ({ path: at, type }) => at ?? type ?? '',
  none: 'Nothing is paused.',
  fields: [
    { title: 'what', text: ({ path: at, type }) => at ?? `type ${type}`, column: 'plain' },
    { title: 'since', text: ({ since }) => whenText(since), column: 'plain' },
    { title: 'reason', text: ({ reason }) => reason, column: 'shrinks' },
  ],
})

export const workerShape = shapeOf<RemoteWorker>({
  name: (item) => item.id,
  none: 'No workers. `stint worker` starts one.',
  fields: [
    { title: 'status', text: ({ lostAt }) => (lostAt === null ? 'RUNNING' : 'LOST'), column: 'plain', isStatus: true },
    { title: 'name', text: ({ name }) => name, column: 'plain' },
    { title: 'since', text: ({ startedAt }) => agoText(startedAt), column: 'plain' },
    { title: 'types', text: ({ types }) => types.join(', '), column: 'shrinks' },
    { title: 'paths', text: ({ paths }) => paths?.join(', ') ?? 'all', column: 'shrinks' },
    { ...id, column: 'plain' },
  ],
})

export const keyShape = shapeOf<KeyView>({
  name: (item) => item.id,
  none: 'No keys.',
  fields: [
    { title: 'label', text: (item) => item.label, column: 'shrinks' },
    { title: 'role', text: ({ role }) => role, column: 'plain' },
    { title: 'path', text: (item) => item.path ?? 'all', column: 'shrinks' },
    { title: 'expires', text: ({ expiresAt }) => whenText(expiresAt), column: 'plain' },
    { title: 'revoked', text: ({ revokedAt }) => (revokedAt === null ? '' : whenText(revokedAt)), column: 'plain' },
    created,
    { ...id, column: 'plain' },
  ],
})
