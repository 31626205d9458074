import { z } from 'zod'
import { unknownJob } from '../../engine/references.ts'
import type { Stint } from '../../engine/stint.ts'
import { type Route, route } from '../route.ts'
import { cursor, wholeNumber } from '../schemas/common.ts'
import { branchesOf, eventStream } from '../stream/event-stream.ts'
import { logStream } from '../stream/log-stream.ts'
import { defined } from './common.ts'

const tag = 'Live'

/** How many jobs, paths or types one stream may name. */
const listMax = 100

/** Values with commas between them. */
const list = z
  .string()
  .min(1)
  .max(20_000)
  .transform((text) => text.split(','))
  .pipe(z.array(z.string().min(1).max(1_200)).max(listMax))

/** Comes from a client that lost its connection: where it was. */
function lastEventId(request: Request): string | undefined {
  return request.headers.get('last-event-id') ?? undefined
}

export const streamRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/stream',
    id: 'streamEvents',
    tag,
    summary: 'The log as it grows, as server-sent events, each once. `Last-Event-ID` goes on where a stream has ended.',
    role: 'read',
    query: z.strictObject({
      path: list.optional().meta({ description: 'Names: only what is at or below one of them.' }),
      type: list.optional().meta({ description: 'Types, or beginnings of types with a `*` at the end: `job.run.*`.' }),
      job: list.optional().meta({ description: 'Ids of jobs.' }),
      after: cursor.optional().meta({ description: 'A cursor of events, or `beginning`. Default the end of the log.' }),
    }),
    media: 'text/event-stream',
    run: async (call) => {
      const { stint, access, query, request, services } = call
      const after = cursorOf(lastEventId(request) ?? query.after)
      // What no store gave as a cursor is refused before anything is sent.
      if (typeof after === 'string') await services.stint.store.events({ after, limit: 1 })
      const branches = branchesOf(query.path, access.path)
      const jobs = query.job === undefined ? undefined : await uuidsOf(stint, query.job)
      return eventStream(call, defined({ jobs, branches, types: query.type }), after)
    },
  }),
  route({
    method: 'get',
    path: '/jobs/{job}/runs/{attempt}/log/stream',
    id: 'streamLog',
    tag,
    summary: 'The log of an attempt as it is written, as server-sent events, until the attempt is over.',
    role: 'read',
    params: z.strictObject({ job: z.string().min(1).max(1_200), attempt: wholeNumber(1, 1_000_000) }),
    query: z.strictObject({ after: wholeNumber(0, 2_147_483_647).optional() }),
    media: 'text/event-stream',
    run: async (call) => {
      const { stint, params, query, request } = call
      const job = await stint.jobs.get(params.job)
      if (job === null || job.attempt < params.attempt) throw unknownJob(`${params.job}, attempt ${params.attempt}`)
      const last = Number(lastEventId(request) ?? query.after ?? 0)
      const afterSeq = Number.isSafeInteger(last) && last >= 0 ? last : 0
      return logStream(call, { ...params, afterSeq })
    },
  }),
]

function cursorOf(given: string | undefined): string | null | undefined {
  return given === 'beginning' ? null : given
}

async function uuidsOf(stint: Stint, references: readonly string[]): Promise<readonly string[]> {
  return await Promise.all(
    references.map(async (reference) => {
      const uuid = await stint.jobs.uuidOf(reference)
      if (uuid === null) throw unknownJob(reference)
      return uuid
    }),
  )
}
