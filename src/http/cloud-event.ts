import { z } from 'zod'
import { StintError } from '../core/errors.ts'
import type { OutsideEventInput } from '../engine/events-api.ts'
import { instant, json } from './schemas/common.ts'

/**
 * CloudEvents 1.0. The job that one is about is named by the extension `jobid`, a task by `taskid`, another namespace by
 * `namespace`. Its data are the attributes; what else it says stands beside them, where the data say nothing else.
 */
export const cloudEvent = z.looseObject({
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string().min(1),
  type: z.string().min(1),
  time: instant.optional(),
  data: json.optional(),
  jobid: z.string().min(1).max(1_200).optional(),
  taskid: z.string().min(1).optional(),
  namespace: z.string().min(1).optional(),
  data_base64: z.undefined().optional(),
})

export function eventOfCloud(given: z.output<typeof cloudEvent>): OutsideEventInput {
  const { specversion: _, datacontenttype: __, id, source, type, time, data, jobid, taskid, namespace, ...rest } = given
  const said =
    typeof data === 'object' && data !== null && !Array.isArray(data) ? data : data === undefined ? {} : { data }
  return {
    id,
    source,
    type,
    attributes: { ...rest, ...said } as NonNullable<OutsideEventInput['attributes']>,
    ...(time === undefined ? {} : { occurredAt: time }),
    ...(jobid === undefined ? {} : { job: jobid }),
    ...(taskid === undefined ? {} : { taskId: taskid }),
    ...(namespace === undefined ? {} : { namespace }),
  }
}

/** An event whose context stands in the headers and whose data are the body; null where the headers are of none. */
export function inBinaryMode(headers: Headers, data: unknown): object | null {
  if (!headers.has('ce-specversion')) return null
  const context = [...headers].flatMap(([name, value]) => {
    return name.startsWith('ce-') ? [[name.slice(3), decoded(name, value)] as const] : []
  })
  return { ...Object.fromEntries(context), data }
}

function decoded(name: string, value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    const rule = 'must be percent-encoded UTF-8'
    throw new StintError('invalid_argument', `${name} ${rule}.`, { field: name, rule })
  }
}
