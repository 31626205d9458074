import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../../core/errors.ts'

export const problem = z
  .looseObject({
    type: z.string().meta({ description: 'Where the code is explained.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What happened, and to what.' }),
    code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
    retryable: z.boolean(),
    field: z.string().optional(),
    rule: z.string().optional(),
  })
  .meta({ id: 'Problem' })
