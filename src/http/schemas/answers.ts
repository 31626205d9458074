import { z } from 'zod'
import { json } from './common.ts'

/** What finds the job that is answered. */
const target = z.strictObject({
  job: z.string().min(1).max(1_200).optional().meta({ description: 'The id of the job; or say `type` and `key`.' }),
  type: z.string().min(1).max(128).optional(),
  key: z.string().min(1).max(255).optional(),
  namespace: z.string().min(1).max(128).optional().meta({
    description: 'That of `type` and `key`. Default that of the path of the key, else the default namespace.',
  }),
})

export type AnswerTarget = z.output<typeof target>

function isOne({ job, type, key, namespace }: AnswerTarget): boolean {
  return job === undefined
    ? type !== undefined && key !== undefined
    : type === undefined && key === undefined && namespace === undefined
}

const refusal = { path: ['job'], error: 'or type and key must be given, and not both' }

export const completion = target.extend({ result: json.optional() }).refine(isOne, refusal).meta({ id: 'Completion' })

export const failure = target
  .extend({ error: z.string().min(1).meta({ description: 'Cut after 65,536 characters.' }) })
  .refine(isOne, refusal)
  .meta({ id: 'Failure' })
