import type { Ending } from '../../core/job/commands.ts'
import type { RunFacts } from '../../core/job/events.ts'
import type { Job } from '../../core/job/job.ts'
import type { Json } from '../../core/json.ts'
import type { Env } from '../env.ts'
import type { AnyJob } from '../handler.ts'
import { TerminalError } from '../later.ts'
import { type Sharded, shardedOf } from '../shards/define-sharded-job.ts'
import { paramsOfJob } from '../shards/plans.ts'
import { shardedRun } from '../shards/run-sharded.ts'
import { pipelineOf } from '../slots/define-pipeline.ts'
import type { Attempt } from './attempt.ts'
import type { Parts, Surroundings } from './make-context.ts'
import { type Moment, type Outcome, outcomeOfThrow } from './outcome.ts'
import { type Reporter, RunNotes } from './reporter.ts'
import { RunFiles } from './run-files.ts'
import { type Runnable, runHandler } from './run-handler.ts'
import type { WorkerSettings } from './worker-settings.ts'

/** Runs an attempt to its outcome. Never rejects. */
export type Execute = (attempt: Attempt, reporter: Reporter) => Promise<Outcome>

/** One claimed attempt, start to finish: what it needs, its handler, what it leaves behind. */
export function executor(env: Env, settings: WorkerSettings, surroundings: Surroundings): Execute {
  // One function, and as few promises as there can be: this is done for every job.
  return async (attempt, reporter) => {
    try {
      const { stored } = attempt
      const runId = surroundings.runIdOf(stored)
      const notes = new RunNotes(attempt, reporter)
      const files = new RunFiles(settings.artifactsDirectory, runId)
      const definition = settings.jobs.get(stored.job.type)
      if (definition === undefined) return unknownType(stored.job.type, momentOf(env, attempt))
      // A first attempt has nothing before it, so nothing is read for it.
      const lastCheckpoint = stored.job.attempt === 1 ? null : await checkpointBefore(env, attempt)
      const special = specialRun(env, definition, attempt, surroundings)
      const runnable = special === null ? plainRun(definition, stored.params) : await special
      const parts: Parts = { attempt, runId, notes, files, lastCheckpoint }
      const outcome = await surroundings.inSpan(stored, runId, (ids) => {
        attempt.observed = { executionId: runId, ...ids }
        return runHandler(runnable, surroundings, parts, () => momentOf(env, attempt))
      })
      if (notes.isEmpty && files.isUnused) return outcome
      await notes.flush()
      return withFacts(outcome, await factsOf(notes, files, runId))
    } catch (error) {
      // A tracer that fails, for example. Without an outcome the attempt would keep its slot for ever.
      return outcomeOfThrow(error, momentOf(env, attempt))
    }
  }
}

function plainRun(definition: AnyJob, params: string | null): Runnable {
  return { definition, params, run: (context) => definition.run(context) }
}

/** What runs instead of the handler of a definition, and with which params: a task has those of its job. Null for most. */
function specialRun(
  env: Env,
  definition: AnyJob,
  attempt: Attempt,
  surroundings: Surroundings,
): Runnable | Promise<Runnable> | null {
  const { job, params } = attempt.stored
  const stuck = whyStuck(job)
  if (stuck !== null) return { definition, params: null, run: () => Promise.reject(new TerminalError(stuck)) }
  const build = pipelineOf(definition)
  if (build !== null) {
    return { definition, params, run: (ctx) => surroundings.buildFrom(attempt, (p) => build(p, ctx.params)) }
  }
  const sharded = shardedOf(definition)
  return sharded === null ? null : shardedRunnable(env, definition, sharded, attempt)
}

async function shardedRunnable(env: Env, definition: AnyJob, sharded: Sharded, attempt: Attempt): Promise<Runnable> {
  const { job, params } = attempt.stored
  const run = shardedRun(env, sharded, attempt)
  return { definition, run, params: job.task === null ? params : await paramsOfJob(env, job.task.of) }
}

/** The values that it needed could not be put into its params: it was released so that it can say so. Null for all others. */
export function whyStuck({ needs, upstream }: Job): string | null {
  if (needs?.onFailure !== 'skip' || upstream === null || upstream.length === 0) return null
  return upstream.map(({ error }) => error).join(' ')
}

async function checkpointBefore({ store, metrics }: Env, { stored }: Attempt): Promise<Json> {
  try {
    const { checkpoint } = await store.notes(stored.job.id)
    return checkpoint === null ? null : (JSON.parse(checkpoint) as Json)
  } catch {
    metrics.add('stint_store_errors', { doing: 'read checkpoint' })
    return null
  }
}

/** The database's time, from when it gave the attempt and what has passed here since. */
function momentOf({ clock, random }: Env, { stored, heldSince }: Attempt): Moment {
  return { random: random(), now: stored.job.updatedAt + (clock.monotonic() - heldSince) }
}

function unknownType(type: string, { random }: Moment): Outcome {
  const error = `This worker does not know the type ${type}.`
  return { ending: { kind: 'failed', error, terminal: false, random }, result: null }
}

async function factsOf(notes: RunNotes, files: RunFiles, runId: string): Promise<RunFacts> {
  const artifacts = await files.list()
  return {
    ...(notes.hasLog ? { logPath: `stint:${runId}/log` } : {}),
    ...(artifacts.length === 0 ? {} : { artifacts }),
  }
}

function withFacts(outcome: Outcome, facts: RunFacts): Outcome {
  const { ending } = outcome
  if (Object.keys(facts).length === 0 || !isEnd(ending)) return outcome
  return { ...outcome, ending: { ...ending, facts: { ...ending.facts, ...facts } } }
}

/** Whether the attempt is over, so that facts of it can be told. */
function isEnd(ending: Ending): ending is Extract<Ending, { kind: 'completed' | 'failed' | 'cancelled' }> {
  return ending.kind === 'completed' || ending.kind === 'failed' || ending.kind === 'cancelled'
}
