import { defineJob } from '../define-job.ts'
import type { JobContext, JobDefaults, JobDefinition } from '../handler.ts'
import type { InputOf, OutputOf, StandardSchema } from '../standard-schema.ts'
import { WithFacts } from '../worker/outcome.ts'
import type { CommandEnd } from './command-run.ts'
import { runCommand } from './run-command.ts'

/** A program to run, without a shell: what stands in `args` reaches it as it is. */
export interface Command {
  readonly program: string
  readonly args?: readonly string[]
  readonly cwd?: string
  /** Added to a clean environment: nothing of the worker's own is passed on but PATH, HOME and the like. */
  readonly env?: Readonly<Record<string, string>>
  /** What the program reads. Default the params as JSON. */
  readonly stdin?: string
}

interface CommandOptions<Params> extends JobDefaults {
  /** The program, or how it follows from the params. */
  readonly command: Command | ((params: Params) => Command)
  /** How long the program has after SIGTERM before SIGKILL, in milliseconds. Default 5,000. */
  readonly killGraceMs?: number
}

/**
 * Defines a type of job that runs a program. Its output becomes the log of the run, its exit code stands on the run, and
 * the files that it leaves in `STINT_ARTIFACTS` are listed there. Exit code 0 completes the job; any other fails the
 * attempt. When the job is cancelled, runs out of time or loses its worker, the program dies with all that it started.
 */
export function defineCommand<Schema extends StandardSchema>(
  type: string,
  definition: CommandOptions<OutputOf<Schema>> & { readonly params: Schema },
): JobDefinition<InputOf<Schema>, OutputOf<Schema>, null>
export function defineCommand<Params>(
  type: string,
  definition: CommandOptions<Params> & { readonly params?: undefined },
): JobDefinition<Params, Params, null>
export function defineCommand(
  type: string,
  { command, killGraceMs = 5_000, ...job }: CommandOptions<never> & { readonly params?: StandardSchema | undefined },
): JobDefinition<unknown, unknown, null> {
  const run = async (ctx: JobContext<unknown>): Promise<unknown> => {
    const wanted = typeof command === 'function' ? command(ctx.params as never) : command
    return ended(wanted, await start(ctx, wanted, killGraceMs))
  }
  // The definition comes in two shapes, with a schema and without; what runs it is the same.
  return defineJob(type, { ...job, run } as Parameters<typeof defineJob>[1]) as JobDefinition<unknown, unknown, null>
}

async function start(ctx: JobContext<unknown>, command: Command, killGraceMs: number): Promise<CommandEnd> {
  const { program, args = [], cwd, env = {}, stdin = `${JSON.stringify(ctx.params ?? null)}\n` } = command
  return await runCommand({
    program,
    args,
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...env, ...stintVariables(ctx) },
    stdin,
    signal: ctx.signal,
    killGraceMs,
    onOutput: ({ text }) => ctx.log(text),
    artifactsDirectory: await ctx.artifact('.'),
  })
}

/** What a program knows of the job that it is. */
function stintVariables({ name, attempt, id, runId }: JobContext<unknown>): Record<string, string> {
  return { STINT_TASK_ID: name, STINT_ATTEMPT: String(attempt), STINT_JOB_ID: id, STINT_RUN_ID: runId }
}

function ended({ program }: Command, { exitCode, killedBy, stderrTail }: CommandEnd): WithFacts {
  const facts = exitCode === null ? {} : { exitCode }
  if (exitCode === 0) return new WithFacts(null, facts)
  const how = exitCode === null ? `was killed by ${killedBy ?? 'a signal'}` : `ended with exit code ${exitCode}`
  const said = stderrTail.trim()
  throw new WithFacts(new Error(`${program} ${how}${said === '' ? '.' : `: ${said}`}`), facts)
}
