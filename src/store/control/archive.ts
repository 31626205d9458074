import { checkArray, checkInteger, checkText, refuse } from '../check-input.ts'
import type { ArchiveControls, Collected, NewSegment, Segment } from '../controls.ts'
import { collect, record } from '../retention/archive.ts'
import type { Transaction } from '../transaction.ts'

const collectMax = 10_000

export const archiveControls = {
  'archive.collect': async (tx: Transaction, { limit }: { limit: number }): Promise<Collected | null> => {
    return await collect(tx, checkInteger(limit, 'limit', 1, collectMax))
  },
  'archive.record': async (tx: Transaction, given: NewSegment): Promise<Segment> => {
    const logIds = checkArray(given.logIds, 'logIds', 2 * collectMax).map((id) => checkKey(id, 'logIds'))
    if (logIds.length === 0) throw refuse('logIds', logIds.length, 'must not be empty')
    const made = { file: checkText(given.file, 'file', 255), checksum: checkChecksum(given.checksum) }
    return await record(tx, { ...made, stretch: checkKey(given.stretch, 'stretch'), logIds: [...new Set(logIds)] })
  },
  'archive.get': async (tx: Transaction, { file }: { file: string }): Promise<Segment | null> => {
    return await tx.segments.find(checkText(file, 'file', 255))
  },
  'archive.list': async (tx: Transaction, { before = null, limit }: ArchiveControls['archive.list']['input']) => {
    const from = before === null ? null : checkKey(before, 'before')
    return await tx.segments.page(from, checkInteger(limit, 'limit', 1, 1_000))
  },
}

function checkKey(value: unknown, field: string): number {
  return checkInteger(value, field, 0, Number.MAX_SAFE_INTEGER)
}

function checkChecksum(value: unknown): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value
  throw refuse('checksum', value, 'must be a SHA-256 in 64 hexadecimal digits')
}
