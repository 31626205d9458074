import type { Command } from '../command.ts'
import { archive } from './archive.ts'
import { bench } from './bench.ts'
import { cancel } from './cancel.ts'
import { complete, completion } from './completion.ts'
import { answerCommands, controlCommands } from './control.ts'
import { dev } from './dev.ts'
import { doctor } from './doctor.ts'
import { emit, events } from './events.ts'
import { groupCommands } from './group.ts'
import { init } from './init.ts'
import { keyCommands } from './keys.ts'
import { list } from './list.ts'
import { logs } from './logs.ts'
import { migrate } from './migrate.ts'
import { retry } from './retry.ts'
import { scheduleCommands } from './schedule.ts'
import { server } from './server.ts'
import { show } from './show.ts'
import { slotCommands } from './slot.ts'
import { submit } from './submit.ts'
import { templateCommands } from './template.ts'
import { transfer } from './transfer.ts'
import { tree } from './tree.ts'
import { verify } from './verify.ts'
import { watch } from './watch.ts'
import { worker } from './worker.ts'

/** All that `stint` can do, in the order of its help. */
export const commands: readonly Command[] = [
  ...[init, dev, server, worker],
  ...[submit, list, show, tree, logs, watch, cancel, retry, ...answerCommands, emit, events],
  ...[...groupCommands, ...scheduleCommands, ...templateCommands, ...slotCommands],
  ...[...controlCommands, ...keyCommands],
  ...[verify, migrate, archive, transfer, bench, doctor, completion, complete],
]
