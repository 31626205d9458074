import { show } from '../../core/errors.ts'
import { shardMax } from '../../core/shard/sharded.ts'
import { defineJob } from '../define-job.ts'
import type { JobContext, JobDefaults, JobDefinition } from '../handler.ts'
import { TerminalError } from '../later.ts'
import { defineShardedJob, type SliceInput, type SliceResult } from '../shards/define-sharded-job.ts'
import type { InputOf, OutputOf, StandardSchema } from '../standard-schema.ts'
import { RunContext } from '../worker/make-context.ts'
import { messageOf, WithFacts } from '../worker/outcome.ts'
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
  /**
   * Runs the program so many times, as tasks of one sharded job: `STINT_TASK_ID` ends in the number of the shard, and
   * `STINT_SHARD_COUNT` says of how many. Each is tried as often as `retry` says.
   */
  readonly shards?: number | ((params: Params) => number)
  /** How many of the shards run at once. Default 64. */
  readonly width?: number
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
  given: CommandOptions<never> & { readonly params?: StandardSchema | undefined },
): JobDefinition<unknown, unknown, null> {
  const { command, killGraceMs = 5_000, shards, width = 64, ...job } = given
  const run = async (ctx: JobContext<unknown>, env: Record<string, string> = {}): Promise<WithFacts> => {
    const wanted = typeof command === 'function' ? command(ctx.params as never) : command
    return ended(wanted, await start(ctx, wanted, killGraceMs, env))
  }
  // The definition comes in two shapes, with a schema and without; what runs it is the same.
  const defined =
    shards === undefined
      ? defineJob(type, { ...job, run: (ctx: JobContext<unknown>) => run(ctx) } as Parameters<typeof defineJob>[1])
      : defineShardedJob(type, { ...job, width, ...oneProgramEach(shards, run) } as Parameters<
          typeof defineShardedJob
        >[1])
  return defined as JobDefinition<unknown, unknown, null>
}

/** A task is one program, run in one slice. One that fails has failed the attempt at its task: there is no state to go on from. */
function oneProgramEach(
  shards: NonNullable<CommandOptions<never>['shards']>,
  run: (ctx: JobContext<unknown>, env: Record<string, string>) => Promise<WithFacts>,
) {
  return {
    plan: ({ params }: JobContext<unknown>) => {
      return new Array(countOf(typeof shards === 'function' ? shards(params as never) : shards)).fill(0)
    },
    slice: async ({ ctx, total }: SliceInput<unknown, number>) => {
      const { facts } = await run(ctx, { STINT_SHARD_COUNT: String(total) }).catch(asTerminal)
      // Facts come around what a slice returns, as they do for every handler of our own.
      return new WithFacts({ state: 1, done: true }, facts) as unknown as SliceResult<number>
    },
  }
}

function countOf(count: unknown): number {
  if (Number.isInteger(count) && (count as number) >= 0 && (count as number) <= shardMax) return count as number
  throw new TerminalError(`shards must be a whole number from 0 to ${shardMax}; got ${show(count)}.`)
}

function asTerminal(thrown: unknown): never {
  const { value, facts } = thrown instanceof WithFacts ? thrown : { value: thrown, facts: {} }
  throw new WithFacts(new TerminalError(messageOf(value)), facts)
}

async function start(
  ctx: JobContext<unknown>,
  command: Command,
  killGraceMs: number,
  others: Record<string, string>,
): Promise<CommandEnd> {
  const { program, args = [], cwd, env = {}, stdin = `${JSON.stringify(ctx.params ?? null)}\n` } = command
  return await runCommand({
    program,
    args,
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...env, ...stintVariables(ctx), ...others },
    stdin,
    signal: ctx.signal,
    killGraceMs,
    onOutput: ({ text }) => ctx.log(text),
    artifactsDirectory: await ctx.artifact('.'),
  })
}

/** What a program knows of the job that it is. With the token it submits jobs as a handler does: as children of this attempt. */
function stintVariables(ctx: JobContext<unknown>): Record<string, string> {
  const { name, attempt, id, runId } = ctx
  const token = RunContext.tokenOf(ctx)
  const known = { STINT_TASK_ID: name, STINT_ATTEMPT: String(attempt), STINT_JOB_ID: id, STINT_RUN_ID: runId }
  return token === null ? known : { ...known, STINT_TOKEN: token }
}

function ended({ program }: Command, { exitCode, killedBy, stderrTail }: CommandEnd): WithFacts {
  const facts = exitCode === null ? {} : { exitCode }
  if (exitCode === 0) return new WithFacts(null, facts)
  const how = exitCode === null ? `was killed by ${killedBy ?? 'a signal'}` : `ended with exit code ${exitCode}`
  const said = stderrTail.trim()
  throw new WithFacts(new Error(`${program} ${how}${said === '' ? '.' : `: ${said}`}`), facts)
}
