import { z } from 'zod'
import { StintError } from '../../core/errors.ts'
import type { OutsideEventInput } from '../../engine/events-api.ts'
import { unknownJob } from '../../engine/references.ts'
import { isOfType } from '../../engine/tail/filter.ts'
import { attempt } from '../../store/check-input.ts'
import type { AppendResult } from '../../store/store.ts'
import { checked } from '../check.ts'
import { cloudEvent, eventOfCloud, inBinaryMode } from '../cloud-event.ts'
import { problemOf } from '../problem.ts'
import { type Route, route } from '../route.ts'
import { flag, page, pageQuery } from '../schemas/common.ts'
import { appended, event, eventMax, newEvent, newEvents, shownEvent } from '../schemas/events.ts'
import { defined, jobParam } from './common.ts'

const tag = 'Events'

export const eventRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/events',
    id: 'appendEvents',
    tag,
    summary: 'Records events from outside, one or many, each once. CloudEvents 1.0 are taken as well, in every mode.',
    description:
      'Each has its own fate: what is wrong with one of many does not stop the others. Of a CloudEvent, the extension `jobid` names the job, `taskid` its task, and the data are the attributes.',
    role: 'submit',
    body: newEvents,
    response: z.object({ results: z.array(appended) }),
    run: async ({ stint, body, request }) => {
      const given = inBinaryMode(request.headers, body) ?? body
      const events = (Array.isArray(given) ? checked(many, given, 'body') : [given]).map(readEvent)
      const valid = events.filter((each): each is OutsideEventInput => !(each instanceof StintError))
      const made = [...(valid.length === 0 ? [] : await stint.events.appendMany(valid))]
      const results = events.map((each): AppendResult => {
        return each instanceof StintError ? { outcome: 'refused', error: each } : (made.shift() as AppendResult)
      })
      const [only] = results
      // One that stands alone is refused as any other request is.
      if (!Array.isArray(given) && only?.outcome === 'refused') throw only.error
      return { results: results.map(shownResult) }
    },
  }),
  route({
    method: 'get',
    path: '/events',
    id: 'listEvents',
    tag,
    summary: 'The log in its order. The cursor of the last page goes on with what comes later.',
    role: 'read',
    query: z.strictObject({
      ...pageQuery,
      job: z.string().min(1).max(1_200).optional(),
      record: z
        .string()
        .min(1)
        .max(1_200)
        .optional()
        .meta({ description: 'The id of a template, schedule, group or slot, or a path.' }),
      type: z.string().min(1).max(255).optional().meta({
        description: 'A type, or the beginning of one with a `*`. A page may be short, or empty, though there is more.',
      }),
      newestFirst: flag
        .optional()
        .meta({ description: 'The newest first, and the cursor goes on with older ones. Not with `job` or `record`.' }),
    }),
    response: page(event),
    run: async ({ stint, query: { type, ...rest } }) => {
      const { items, cursor } = await stint.events.list(defined(rest))
      const wanted = type === undefined ? items : items.filter(({ eventType }) => isOfType(eventType, type))
      return { items: wanted.map(shownEvent), cursor }
    },
  }),
  route({
    method: 'get',
    path: '/jobs/{job}/events',
    id: 'listEventsOfJob',
    tag,
    summary: 'The history of a job.',
    role: 'read',
    params: jobParam,
    query: z.strictObject(pageQuery),
    response: page(event),
    run: async ({ stint, params: { job }, query }) => {
      if ((await stint.jobs.uuidOf(job)) === null) throw unknownJob(job)
      const { items, cursor } = await stint.events.list({ job, ...defined(query) })
      return { items: items.map(shownEvent), cursor }
    },
  }),
]

const many = z.array(z.unknown()).min(1).max(eventMax)

/** An event, or what is wrong with it. What says which version of CloudEvents it is of is one. */
function readEvent(given: unknown): OutsideEventInput | StintError {
  return attempt((): OutsideEventInput => {
    const isCloudEvent = typeof given === 'object' && given !== null && 'specversion' in given
    return isCloudEvent
      ? eventOfCloud(checked(cloudEvent, given))
      : (defined(checked(newEvent, given)) as OutsideEventInput)
  })
}

function shownResult(result: AppendResult) {
  return result.outcome === 'refused' ? { problem: problemOf(result.error) } : result
}
