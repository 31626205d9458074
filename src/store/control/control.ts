import { StintError } from '../../core/errors.ts'
import type { Context } from '../../core/job/commands.ts'
import { checkContext, checkObject } from '../check-input.ts'
import type { ControlName, Controls } from '../controls.ts'
import type { Transaction } from '../transaction.ts'
import { answerControls } from './answers.ts'
import { archiveControls } from './archive.ts'
import { defaultsControls } from './defaults.ts'
import { endpointControls } from './endpoints.ts'
import { groupControls } from './groups.ts'
import { keyControls } from './keys.ts'
import { retentionControls } from './retention.ts'
import { scheduleControls } from './schedules.ts'
import { shardControls } from './shards.ts'
import { slotControls } from './slots.ts'
import { templateControls } from './templates.ts'
import { webhookControls } from './webhooks.ts'

type Handlers = {
  readonly [N in ControlName]: (
    tx: Transaction,
    input: Controls[N]['input'],
    context: Context,
  ) => Promise<Controls[N]['output']>
}

const handlers: Handlers = {
  ...templateControls,
  ...scheduleControls,
  ...groupControls,
  ...defaultsControls,
  ...retentionControls,
  ...archiveControls,
  ...shardControls,
  ...slotControls,
  ...endpointControls,
  ...keyControls,
  ...answerControls,
  ...webhookControls,
}

/** Whether others should look what has happened. */
export function changesSomething<N extends ControlName>(name: N, output: Controls[N]['output']): boolean {
  if (name === 'schedule.fire' || name === 'slot.due') return (output as Controls['slot.due']['output']).isDue
  if (/^(?:endpoint|answer)\.|^webhook\.(?:active|advance|target|tell)$/.test(name)) return false
  return !/\.(?:get|list|inForce|awaited|members|prune|collect|record|plan|tasks)$/.test(name)
}

/** Does one of them, within a transaction. */
export async function control<N extends ControlName>(
  tx: Transaction,
  name: N,
  input: Controls[N]['input'],
  context: Context = {},
): Promise<Controls[N]['output']> {
  if (!Object.hasOwn(handlers, name)) throw new StintError('not_found', `There is no control ${name}.`, { name })
  checkObject(input, 'input')
  return await handlers[name](tx, input, checkContext(context))
}
