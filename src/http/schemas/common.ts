import { z } from 'zod'

/** Building blocks of what the API takes and gives. */

/** An instant as it is given: ISO 8601 with a zone. */
export const instant = z.iso
  .datetime({ offset: true })
  .refine((text) => Date.parse(text) >= 0, { error: 'must not be before 1970' })
  .transform((text) => new Date(text))
  .meta({ description: 'ISO 8601 with a zone, `2026-11-16T09:00:00Z`.' })

/** An instant as it is shown. */
export const shownInstant = z.iso.datetime()

export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, { error: 'must be a UUID in lower case' })
  .meta({ format: 'uuid' })

/** What names a record in an address: paths hold slashes, so they are escaped there. */
export const recordRef = z
  .string()
  .max(3_000)
  .regex(/^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\/.+)$/s, {
    error: 'must be a UUID in lower case, or a path',
  })
  .meta({ description: 'Its UUID; or its path, with `%2F` for each slash.' })

export const json = z.unknown().meta({ description: 'Any JSON, at most 100 levels deep and 1 MiB.' })

export const labels = z.record(z.string(), z.string())

export const durationMs = z.int().min(0)

/** The longest that an answer is held back to wait for something, in milliseconds. */
export const waitMax = 60_000

/** A whole number in a query. */
export function wholeNumber(min: number, max: number) {
  return z.pipe(
    z.transform((text: unknown) => (typeof text === 'string' && /^-?\d{1,15}$/.test(text) ? Number(text) : text)),
    z.int().min(min).max(max),
  )
}

/** True or false in a query. */
export const flag = z.pipe(
  z.transform((text: unknown) => (text === 'true' ? true : text === 'false' ? false : text)),
  z.boolean(),
)

export const cursor = z.string().max(200).meta({ description: 'The `cursor` of the page before.' })

export const pageQuery = {
  cursor: cursor.optional(),
  limit: wholeNumber(1, 1_000).optional().meta({ description: 'At most so many. Default 100.' }),
}

export function page<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    cursor: z.string().nullable().meta({ description: 'Give it to the next call; null when there is no more.' }),
  })
}

/** What names a job in a body. */
export const jobId = z.string().min(1).max(1_200).meta({ description: 'A JobRunId, its UUID, or the id of a task.' })

/** A path of the tree, `/reports/daily`; without the first slash it begins at the path of the key. */
export const path = z.string().min(1).max(1_000)

export const limitOption = z.union([
  z.string().min(1).max(255),
  z.strictObject({
    key: z.string().min(1).max(255),
    concurrency: z.int().min(0).nullable().optional(),
    rate: z.string().max(40).nullable().optional(),
  }),
])

export const retryPolicy = z.strictObject({
  maxAttempts: z.int().min(1).optional(),
  baseMs: durationMs.optional(),
  factor: z.number().min(1).optional(),
  capMs: durationMs.optional(),
  maxSnoozes: z.int().min(0).optional(),
})
