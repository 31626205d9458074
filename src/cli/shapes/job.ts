import type { Json } from '../../core/json.ts'
import type { JobView } from '../../engine/job-view.ts'
import type { JobNotes } from '../../engine/jobs-api.ts'
import type { RunView } from '../../engine/run-view.ts'
import type { Shape } from '../output/print.ts'
import { type Column, sheetText, tableText } from '../output/table.ts'
import { harmless } from '../output/text.ts'
import { agoText, durationText, timeText } from '../output/times.ts'
import type { Screen } from '../terminal.ts'
import { iconOf, painted, statusOf, statusText } from './status.ts'

/** Why it waits or how it went, in a line. */
export function noteOf({ reason, error, state, scheduledFor }: JobView): string {
  if (reason !== null) return reason
  if (error !== null) return error
  return state === 'error' ? `next attempt ${agoText(scheduledFor)}` : ''
}

/** How long a job took, or has taken so far. */
function tookOf({ startedAt, finishedAt }: JobView): string {
  if (startedAt === null) return ''
  return durationText((finishedAt ?? new Date()).getTime() - startedAt.getTime())
}

export const jobShape: Shape<JobView> = {
  name: ({ name }) => name,
  none: 'No jobs.',
  columns: ({ colors }) => [
    {
      title: 'STATUS',
      text: (job) => `${iconOf(statusOf(job))} ${statusOf(job)}`,
      paint: (text, job) => painted(text, statusOf(job), colors),
    },
    { title: 'NAME', text: ({ name }) => name, shrinks: true },
    { title: 'TYPE', text: ({ type }) => type, shrinks: true },
    { title: 'TRY', text: ({ attempt }) => String(attempt), align: 'right' },
    { title: 'TOOK', text: tookOf, align: 'right' },
    { title: 'AGE', text: ({ createdAt }) => agoText(createdAt).replace(' ago', ''), align: 'right' },
    { title: 'NOTE', text: noteOf, paint: (text) => colors.dim(text), shrinks: true },
  ],
  sheet: (job, screen) => sheetText(jobFields(job, screen), screen),
}

function jobFields(job: JobView, { colors }: Screen): readonly (readonly [string, string | null])[] {
  const labels = Object.entries(job.labels).map(([name, value]) => `${name}=${value}`)
  const at = (date: Date | null) => (date === null ? null : `${timeText(date)} ${colors.dim(`(${agoText(date)})`)}`)
  return [
    ['Name', colors.bold(harmless(job.name))],
    ['Status', `${statusText(statusOf(job), colors)}${job.attempt > 0 ? colors.dim(`  attempt ${job.attempt}`) : ''}`],
    ['Reason', job.reason === null ? null : harmless(job.reason)],
    ['Error', job.error === null ? null : colors.red(harmless(job.error))],
    ['Type', harmless(job.type)],
    ['Key', job.key === null ? null : harmless(job.key)],
    ['Labels', labels.length === 0 ? null : harmless(labels.join(' '))],
    ['Priority', job.priority === 0 ? null : String(job.priority)],
    ['Params', job.params === null ? null : valueText(job.params)],
    ['Result', job.result === null ? null : valueText(job.result)],
    ['Created', at(job.createdAt)],
    ['Due', job.state === 'final' || job.startedAt !== null ? null : at(job.scheduledFor)],
    ['Started', at(job.startedAt)],
    ['Finished', at(job.finishedAt)],
    ['Took', job.startedAt === null ? null : tookOf(job)],
    ['Template', job.templateId],
    ['Schedule', job.scheduleId],
    ['Group', job.groupId],
    ['Retry of', job.retryOf],
    ['Submitted by', job.submittedBy],
    ['Id', colors.dim(job.id)],
  ]
}

/** A value as people read it: in one line when it is short. */
export function valueText(value: Json): string {
  const line = JSON.stringify(value)
  return harmlessLines(line.length <= 100 ? line : JSON.stringify(value, null, 2))
}

function harmlessLines(text: string): string {
  return text.split('\n').map(harmless).join('\n')
}

const runColumns = ({ colors }: Screen): readonly Column<RunView>[] => [
  { title: 'RUN', text: ({ attempt }) => String(attempt), align: 'right' },
  {
    title: 'STATUS',
    text: ({ status }) => `${iconOf(status ?? 'RUNNING')} ${status ?? 'RUNNING'}`,
    paint: (text, { status }) => painted(text, status ?? 'RUNNING', colors),
  },
  { title: 'STARTED', text: ({ startedAt }) => (startedAt === null ? '' : timeText(startedAt)) },
  { title: 'TOOK', text: ({ durationMs }) => (durationMs === null ? '' : durationText(durationMs)), align: 'right' },
  { title: 'EXIT', text: ({ exitCode }) => (exitCode === null ? '' : String(exitCode)), align: 'right' },
  {
    title: 'NOTE',
    text: ({ reason, error, artifacts }) => error ?? reason ?? artifacts.join(' '),
    paint: (text) => colors.dim(text),
    shrinks: true,
  },
]

/** What `stint show` shows of a job: itself, how far it is, and its attempts. */
export function jobPage(job: JobView, runs: readonly RunView[], notes: JobNotes, screen: Screen): string {
  const { progress, checkpoint } = notes
  const fields: (readonly [string, string | null])[] = [
    ...jobFields(job, screen),
    ['Progress', progress === null ? null : progressText(progress.done, progress.total)],
    ['Checkpoint', checkpoint === null ? null : valueText(checkpoint)],
  ]
  return `${sheetText(fields, screen)}${runs.length === 0 ? '' : `\n${tableText(runs, runColumns(screen), screen)}`}`
}

function progressText(done: number, total: number | null): string {
  return total === null ? String(done) : `${done} of ${total} (${percent(done, total)})`
}

export function percent(done: number, total: number): string {
  return `${Math.floor(total <= 0 ? 0 : (Math.min(done, total) * 100) / total)} %`
}
