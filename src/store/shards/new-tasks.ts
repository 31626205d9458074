import type { ShardedSpec } from '../../core/shard/sharded.ts'
import { encodeCreated } from '../event-data.ts'
import { optionsText } from '../job-row.ts'
import type { StoredJob } from '../store.ts'
import { taskName } from './shards.ts'
import { type TaskIdParts, taskIdParts } from './task-id.ts'

/** What the tasks of a sharded job have in common but for their index, as columns of both stores. */
export interface TaskTerms extends TaskIdParts {
  /** Row key and attempt of their job. */
  readonly parent: number
  readonly parent_attempt: number
  readonly type: string
  readonly namespace: string
  readonly priority: number
  readonly timeout_ms: number | null
  readonly trace_parent: string | null
  /** What led to the events that they begin with. */
  readonly task_cause: string
  /** Texts of which each task has its own, with its index in between. */
  readonly name_before: string
  readonly options_before: string
  readonly options_after: string
  /** The first event begins with the name as JSON, and then says its digest and this. */
  readonly json_name_before: string
  readonly attributes_before: string
  readonly attributes_after: string
}

const known = new WeakMap<StoredJob, TaskTerms>()

/** The terms of a job that is split. A store that remembers the job has them made once. */
export function taskTerms(parent: StoredJob, spec: ShardedSpec, total: number): TaskTerms {
  const terms = known.get(parent) ?? makeTerms(parent, spec, total)
  known.set(parent, terms)
  return terms
}

/** What the decider's `submit` makes of tasks, with as little for each as can be: there may be a million. */
function makeTerms(
  { job, guard, trace }: StoredJob,
  { retry, slice, timeoutMs }: ShardedSpec,
  total: number,
): TaskTerms {
  const { type, priority } = job
  const task = { of: job.id, index: anyIndex, total, slice }
  const options = optionsText({ retry, timeoutMs, onFailure: null, limits: [], task, needs: null, rerun: null }) ?? ''
  const [options_before, options_after] = aroundIndex(options)
  const [attributes_before, attributes_after] = aroundIndex(encodeCreated({ type, priority, retry, timeoutMs, task }))
  // Task 0 is there to be asked how names are made of indexes.
  const name_before = taskName(job.name, 0).slice(0, -1)
  return {
    parent: guard.pk,
    ...taskIdParts(job.id),
    parent_attempt: job.attempt,
    type,
    namespace: guard.namespace,
    priority,
    timeout_ms: timeoutMs,
    trace_parent: trace,
    task_cause: `${job.id}.${job.version}`,
    name_before,
    options_before,
    options_after,
    json_name_before: JSON.stringify(name_before).slice(0, -1),
    attributes_before: attributes_before.slice(1),
    attributes_after,
  }
}

/** Stands for the index in a text that is the same for all tasks but for that. */
const anyIndex = -1

function aroundIndex(text: string): readonly [before: string, after: string] {
  const place = text.indexOf(`"index":${anyIndex}`) + '"index":'.length
  return [text.slice(0, place), text.slice(place + String(anyIndex).length)]
}
