import type { NewTaskRow, NewTasks } from '../shards/new-tasks.ts'
import type { QueryClient } from '../store.ts'
import { type Column, columns } from './columns.ts'
import type { Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'

const taskColumns = ['idx', 'id', 'params', 'params_digest'] as const satisfies readonly Column<NewTaskRow>[]

/** Writes tasks in one statement, and gives the indexes of those whose names were free. */
export async function insertTasks(
  client: QueryClient,
  sql: Statements,
  types: TypeIds,
  stamp: { readonly now: number; readonly tx_offset: number },
  { rows, type, ...common }: NewTasks,
): Promise<ReadonlySet<number>> {
  const typeIds = await types.of(client, [type])
  const made = await sql.run<{ idx: number }>(client, 'insertTasks', {
    ...columns('', taskColumns, rows),
    ...common,
    type: typeIds(type),
    ...stamp,
  })
  return new Set(made.map(({ idx }) => idx))
}
