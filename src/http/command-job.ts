import { z } from 'zod'
import { defineCommand } from '../engine/command/define-command.ts'
import type { AnyJob } from '../engine/handler.ts'

export const commandType = 'command'

const params = z.strictObject({
  command: z.string().min(1).max(4_096),
  args: z.array(z.string().max(131_072)).max(1_000).optional(),
  cwd: z.string().max(4_096).optional(),
  env: z.record(z.string(), z.string()).optional(),
  stdin: z.string().optional(),
})

/**
 * A type of job that runs any program that it is told to. Whoever may submit it may do what the worker may: give it only to
 * workers where everybody who submits is trusted like that.
 */
export function commandJob({ apiUrl }: { readonly apiUrl?: string } = {}): AnyJob {
  return defineCommand(commandType, {
    params,
    command: ({ command: program, args, cwd, env, stdin }) => ({
      program,
      ...(args === undefined ? {} : { args }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(stdin === undefined ? {} : { stdin }),
      env: { ...env, ...(apiUrl === undefined ? {} : { STINT_API_URL: apiUrl }) },
    }),
  })
}
