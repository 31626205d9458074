import { z } from 'zod'
import { path, shownInstant, uuid } from './common.ts'
import { following, newJob } from './jobs.ts'

/** A group as the API shows it. */
export const group = z
  .object({
    id: uuid,
    path: z.string(),
    label: z.string().nullable(),
    mode: z.enum(['parallel', 'sequential']),
    width: z.int().nullable(),
    onFailure: z.enum(['stop', 'continue']),
    status: z.enum(['CREATED', 'QUEUED', 'RUNNING', 'COMPLETED', 'PARTIAL', 'CANCELLED']),
    sealed: z.boolean(),
    stopped: z.boolean().meta({ description: 'A member failed, and those behind it were left out.' }),
    cancelRequested: z.boolean(),
    counts: z.object({
      total: z.int(),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
      skipped: z.int(),
    }),
    finish: z
      .object({ jobId: uuid, name: z.string(), type: z.string() })
      .nullable()
      .meta({ description: 'The job that follows its end.' }),
    startedAt: shownInstant.nullable(),
    finishedAt: shownInstant.nullable(),
    createdAt: shownInstant,
    updatedAt: shownInstant,
  })
  .meta({ id: 'Group' })

/** A job that becomes a member. */
export const newMember = newJob.omit({ group: true }).meta({ id: 'NewMember' })

export const newGroup = z
  .strictObject({
    path: path.optional().meta({ description: 'Its place in the tree, `/reports/nightly`. Made up if absent.' }),
    mode: z.enum(['parallel', 'sequential']),
    width: z
      .int()
      .min(1)
      .nullable()
      .optional()
      .meta({ description: 'The most members of a parallel group that run at once. Default any number.' }),
    onFailure: z
      .enum(['stop', 'continue'])
      .optional()
      .meta({ description: 'Of a sequential group: whether the rest is left out when a member has failed for good.' }),
    label: z.string().min(1).max(255).nullable().optional().meta({ description: 'A name for people.' }),
    finish: following.optional().meta({ description: 'A job to submit when the group is over.' }),
    jobs: z
      .array(newMember)
      .min(1)
      .max(10_000)
      .optional()
      .meta({ description: 'Its members: with them it is made and sealed at once, or not at all.' }),
  })
  .meta({ id: 'NewGroup' })

export const member = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    status: z.enum(['QUEUED', 'RUNNING', 'CANCELLED']).nullable(),
    outcome: z.enum(['COMPLETED', 'FAILED', 'SKIPPED']).nullable(),
    attempt: z.int(),
  })
  .meta({ id: 'Member' })
