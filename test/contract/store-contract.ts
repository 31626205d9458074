import type { Setup } from '../support/fixture.ts'
import { applyContract } from './apply.ts'
import { archiveContract } from './archive.ts'
import { branchContract } from './branches.ts'
import { childrenContract } from './children.ts'
import { waitingParentContract } from './children-waiting.ts'
import { claimContract } from './claim.ts'
import { completeContract } from './complete.ts'
import { cursorContract } from './cursor.ts'
import { deadlineContract } from './deadlines.ts'
import { depthsContract } from './depths.ts'
import { endpointsContract } from './endpoints.ts'
import { eventsContract } from './events.ts'
import { fairnessContract } from './fairness.ts'
import { gatesContract } from './gates.ts'
import { groupsContract } from './groups.ts'
import { inputsContract } from './inputs.ts'
import { keysContract } from './keys.ts'
import { lifecycleContract } from './lifecycle.ts'
import { listContract } from './lists.ts'
import { modelContract } from './model.ts'
import { onFailureContract } from './on-failure.ts'
import { prunedContract } from './pruned.ts'
import { recordLogContract } from './record-log.ts'
import { reportContract } from './reports.ts'
import { rescueContract } from './rescue.ts'
import { retentionContract } from './retention.ts'
import { scheduleContract } from './schedules.ts'
import { schemaContract } from './schema.ts'
import { shardsContract } from './shards.ts'
import { completedShardsContract } from './shards-completed.ts'
import { slotsContract } from './slots.ts'
import { submitContract } from './submit.ts'
import { templateContract } from './templates.ts'
import { togetherContract } from './together.ts'
import { treeContract } from './tree.ts'
import { verifyContract } from './verify.ts'
import { webhookContract } from './webhooks.ts'
import { workerContract } from './workers.ts'

/** What every store promises. The same tests, unchanged, run on each. What holds while many work at the same time: see concurrency.ts. */
export function storeContract(setup: Setup): void {
  lifecycleContract(setup)
  modelContract(setup)
  verifyContract(setup)
  submitContract(setup)
  schemaContract(setup)
  eventsContract(setup)
  claimContract(setup)
  applyContract(setup)
  completeContract(setup)
  togetherContract(setup)
  workerContract(setup)
  rescueContract(setup)
  deadlineContract(setup)
  childrenContract(setup)
  waitingParentContract(setup)
  branchContract(setup)
  gatesContract(setup)
  templateContract(setup)
  recordLogContract(setup)
  groupsContract(setup)
  shardsContract(setup)
  completedShardsContract(setup)
  endpointsContract(setup)
  slotsContract(setup)
  keysContract(setup)
  scheduleContract(setup)
  fairnessContract(setup)
  retentionContract(setup)
  prunedContract(setup)
  archiveContract(setup)
  onFailureContract(setup)
  reportContract(setup)
  listContract(setup)
  treeContract(setup)
  depthsContract(setup)
  cursorContract(setup)
  inputsContract(setup)
  webhookContract(setup)
}
