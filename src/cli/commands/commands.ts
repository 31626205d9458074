import type { Command } from '../command.ts'
import { cancel } from './cancel.ts'
import { dev } from './dev.ts'
import { emit, events } from './events.ts'
import { list } from './list.ts'
import { logs } from './logs.ts'
import { retry } from './retry.ts'
import { show } from './show.ts'
import { submit } from './submit.ts'
import { tree } from './tree.ts'
import { watch } from './watch.ts'

/** All that `stint` can do, in the order of its help. */
export const commands: readonly Command[] = [dev, submit, list, show, tree, logs, watch, cancel, retry, emit, events]
