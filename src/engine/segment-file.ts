import { hash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { StintError } from '../core/errors.ts'
import type { Segment } from '../store/controls.ts'
import type { LogEntry } from '../store/store.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** A file that somebody began so long ago and has not finished will never be. */
const abandonedMs = 86_400_000
const partSuffix = '.part'

export interface SegmentFile {
  readonly file: string
  readonly checksum: string
}

/**
 * Writes entries to a file, one a line, compressed. When this returns, the file is on the disk as a whole; a crash leaves nothing
 * that looks like one. The same entries always get the same name, so writing them once more changes nothing.
 */
export async function writeSegmentFile(
  directory: string,
  entries: readonly LogEntry[],
  partId: string,
): Promise<SegmentFile> {
  const bytes = await compress(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  const checksum = hash('sha256', bytes, 'hex')
  const ids = entries.map(({ logId }) => logId)
  const file = `events-${Math.min(...ids)}-${Math.max(...ids)}-${checksum.slice(0, 16)}.ndjson.gz`
  const part = join(directory, `${file}.${partId}${partSuffix}`)
  await mkdir(directory, { recursive: true })
  await removeAbandoned(directory)
  await durably(part, 'w', (handle) => handle.writeFile(bytes))
  await rename(part, join(directory, file))
  await durably(directory, 'r', async () => {})
  return { file, checksum }
}

type Handle = Awaited<ReturnType<typeof open>>

async function durably(path: string, flags: string, work: (handle: Handle) => Promise<unknown>): Promise<void> {
  const handle = await open(path, flags)
  try {
    await work(handle)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes what processes have left behind that died while they wrote. */
async function removeAbandoned(directory: string): Promise<void> {
  // Files have the time of the machine, whatever clock the rest follows.
  const before = Date.now() - abandonedMs
  for (const name of await readdir(directory)) {
    if (!/^events-.*\.part$/.test(name)) continue
    const path = join(directory, name)
    // Somebody else may be faster.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: before }))
    if (mtimeMs < before) await rm(path, { force: true })
  }
}

export async function removeSegmentFile(directory: string, file: string): Promise<void> {
  await rm(join(directory, file), { force: true })
}

/** The entries of a file, after it was found to be what was written. */
export async function readSegmentFile(directory: string, segment: Segment): Promise<readonly LogEntry[]> {
  const bytes = await readFile(join(directory, segment.file)).catch((error: Error) => {
    const message = `The file ${segment.file} cannot be read from ${directory}: ${error.message}`
    throw new StintError('not_found', message, { file: segment.file })
  })
  if (hash('sha256', bytes, 'hex') !== segment.checksum) throw damaged(segment, 'its checksum is another')
  const lines = (await decompress(bytes)).toString('utf8').split('\n').slice(0, -1)
  if (lines.length !== segment.count) throw damaged(segment, `it has ${lines.length} entries of ${segment.count}`)
  return lines.map((line) => JSON.parse(line) as LogEntry)
}

function damaged({ file }: Segment, why: string): StintError {
  return new StintError('segment_damaged', `The file ${file} is not what was archived: ${why}.`, { file })
}
