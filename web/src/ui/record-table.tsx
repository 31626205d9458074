import type { ReactNode } from 'react'
import type { RecordRows } from '../data/record-rows.ts'
import { Failure, Loading } from './states.tsx'
import { DataTable, type TableProps } from './table.tsx'

/** A table of what is listed by a cursor, with how it stands. */
export function RecordTable<Row>(
  props: Omit<TableProps<Row>, 'rows' | 'onEnd' | 'foot'> & {
    readonly list: RecordRows<Row>
    /** Those of the list that are shown. Default all. */
    readonly rows?: readonly Row[]
    /** What stands there when there is nothing. */
    readonly empty: ReactNode
  },
) {
  const { list, rows = list.rows, empty, ...table } = props
  if (list.error !== null && list.rows.length === 0) {
    return (
      <div className="px-6">
        <Failure error={list.error} retry={list.refresh} />
      </div>
    )
  }
  if (list.isLoading) {
    return (
      <div className="px-6">
        <Loading rows={12} />
      </div>
    )
  }
  const foot = list.isMore ? (
    <p className="text-ink-3 px-6 py-3">Reading on …</p>
  ) : rows.length === 0 ? (
    <div className="px-6">{empty}</div>
  ) : null
  return <DataTable {...table} rows={rows} onEnd={list.more} foot={foot} />
}
