import { hash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { overriding } from '../../src/engine/observed-store.ts'
import { defineJob, type LogEntry, type Stint, StintError } from '../../src/index.ts'
import type { ControlName, Controls } from '../../src/store/controls.ts'
import type { Store } from '../../src/store/store.ts'
import { createTestStint } from '../../src/testing/index.ts'
import { codeOf } from '../support/requests.ts'
import { day } from '../support/retention.ts'
import { counted, onBothStores, setupStint, startWorker, temporaryDirectory, until } from '../support/stint.ts'

const greet = defineJob('greet', { run: (ctx) => ctx.params })

async function read(stint: Stint, file: string): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = []
  for await (const entry of stint.events.readSegment(file)) entries.push(entry)
  return entries
}

/** A log of one job, of which ten days later only the newest entry is left. */
async function archived() {
  const archiveDirectory = temporaryDirectory()
  const kit = await createTestStint({ jobs: [greet], archiveDirectory })
  onTestFinished(() => kit.close())
  const { stint, advance } = kit
  await stint.retention.set('/r', { jobsMs: day, eventsMs: 5 * day })
  const job = await stint.submit(greet, { b: 1 }, { name: '/r/greet' })
  await advance(0)
  await stint.events.append({ type: 'newest', namespace: 'other' })
  const before = await stint.events.list()
  await advance(4 * day)
  expect(await stint.events.list()).toEqual(before)
  await advance(6 * day)
  const [segment] = (await stint.events.archived()).items
  if (segment === undefined) throw new Error('Nothing was archived.')
  return { ...kit, job, before: before.items, segment, path: join(archiveDirectory, segment.file), archiveDirectory }
}

it('moves old entries to a file of lines that anybody can read and check', async () => {
  const { stint, segment, path, before, job } = await archived()
  const old = before.slice(0, -1)
  expect(segment).toEqual({
    file: expect.stringMatching(/^events-1-4-[0-9a-f]{16}\.ndjson\.gz$/),
    checksum: hash('sha256', readFileSync(path), 'hex'),
    ...{ count: 4, firstId: 1, lastId: 4, firstAt: old[0] && new Date(old[0].receivedAt), lastAt: expect.any(Date) },
    archivedAt: expect.any(Date),
  })
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(old)
  expect(lines.join()).not.toContain('"token"')
  expect(await read(stint, segment.file)).toEqual(old)
  expect((await stint.events.list()).items).toEqual(before.slice(-1))
  expect((await stint.runs.list({ job: job.id })).items).toMatchObject([{ params: { b: 1 } }])
  expect(counted(stint, 'stint_events_archived')).toBe(4)
  expect(await stint.verify()).toEqual({ differences: [] })
})

it('gives nothing of a file that is damaged, and says which', async () => {
  const { stint, segment, path, archiveDirectory } = await archived()
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  writeFileSync(path, bytes)
  await expect(read(stint, segment.file)).rejects.toMatchObject({
    code: 'segment_damaged',
    details: { file: segment.file },
  })
  truncateSync(path, 10)
  expect(await codeOf(read(stint, segment.file))).toBe('segment_damaged')
  expect(await codeOf(read(stint, 'events-9-9-0.ndjson.gz'))).toBe('not_found')
  expect(await codeOf(read(stint, `../${segment.file}`))).toBe('not_found')
  writeFileSync(join(archiveDirectory, 'empty'), '')
  expect(await codeOf(read(stint, 'empty'))).toBe('not_found')
})

it('moves nothing without a directory, and says that it needs one to read', async () => {
  const { stint, advance, close } = await createTestStint({ jobs: [greet] })
  onTestFinished(close)
  await stint.retention.set('/r', { eventsMs: 0 })
  await stint.events.append({ type: 'one', namespace: 'r' })
  await advance(100 * day)
  expect((await stint.events.list()).items).toHaveLength(2)
  expect(await codeOf(read(stint, 'any'))).toBe('invalid_argument')
  expect(await codeOf(createTestStint({ jobs: [], archiveDirectory: '' }))).toBe('invalid_argument')
})

/** Controls by name in place of the store's own. */
type Planted = { [N in ControlName]?: (input: Controls[N]['input'], store: Store) => Promise<Controls[N]['output']> }

/** An archive whose controls can be made to fail, as they do when a process dies or its network does. */
async function plantedArchive() {
  const planted: Planted = {}
  const control = (store: Store): Store['control'] => {
    return (name, input, options) => planted[name]?.(input, store) ?? store.control(name, input, options)
  }
  const archiveDirectory = temporaryDirectory()
  const wrap = (store: Store) => overriding(store, { control: control(store) })
  const fixture = await setupStint({ archiveDirectory, wrap })
  const { stint } = fixture
  await stint.retention.set('/r', { eventsMs: 0 })
  await stint.events.append({ type: 'old', namespace: 'r', id: 'old' })
  await stint.events.append({ type: 'newest', namespace: 'other' })
  const archive = () => stint.drainer({ jobs: [] }).drain()
  const files = () => readdirSync(archiveDirectory)
  // What was collected and not written is tried again after a time, which is over here.
  const again = () => fixture.raw('update stretches set due_at = 0')
  return { ...fixture, planted, archive, again, files, archiveDirectory }
}

const outage = () => Promise.reject(Object.assign(new Error('The connection was lost.'), { code: 'ECONNRESET' }))

it('loses nothing when it dies after the file was written', async () => {
  const { stint, planted, archive, again, files } = await plantedArchive()
  planted['archive.record'] = outage
  await expect(archive()).rejects.toThrow('lost')
  expect((await stint.events.list()).items).toHaveLength(3)
  expect((await stint.events.archived()).items).toEqual([])
  const [file, ...others] = files()
  expect(others).toEqual([])
  delete planted['archive.record']
  await again()
  await archive()
  expect((await stint.events.archived()).items.map((segment) => segment.file)).toEqual([file])
  expect(files()).toEqual([file])
  expect((await read(stint, file ?? '')).map(({ eventType }) => eventType)).toEqual(['retention.set', 'old'])
  expect((await stint.events.list()).items.map(({ eventType }) => eventType)).toEqual(['newest'])
})

it('loses nothing when it does not hear that the entries have left the log', async () => {
  const { stint, planted, archive, again, files } = await plantedArchive()
  planted['archive.record'] = async (input, store) => {
    await store.control('archive.record', input)
    return await outage()
  }
  await expect(archive()).rejects.toThrow('lost')
  delete planted['archive.record']
  await again()
  await archive()
  const { items } = await stint.events.archived()
  expect(items).toMatchObject([{ count: 2 }])
  expect(files()).toEqual([items[0]?.file])
  expect(await read(stint, items[0]?.file ?? '')).toHaveLength(2)
})

it('removes what the dead have begun to write, and nothing else', async () => {
  const { stint, archive, files, archiveDirectory } = await plantedArchive()
  const part = join(archiveDirectory, 'events-1-2-0.ndjson.gz.of-the-dead.part')
  const young = join(archiveDirectory, 'events-1-2-0.ndjson.gz.of-another.part')
  for (const each of [part, young, join(archiveDirectory, 'mine.part')]) writeFileSync(each, 'half')
  const longAgo = new Date(Date.now() - 2 * day)
  for (const each of [part, join(archiveDirectory, 'mine.part')]) utimesSync(each, longAgo, longAgo)
  await archive()
  const [segment] = (await stint.events.archived()).items
  expect(files().toSorted()).toEqual([segment?.file, 'events-1-2-0.ndjson.gz.of-another.part', 'mine.part'].toSorted())
})

it('leaves everything as it is when it cannot write', async () => {
  const { stint, archive, again, archiveDirectory } = await plantedArchive()
  rmSync(archiveDirectory, { recursive: true })
  writeFileSync(archiveDirectory, 'no directory')
  await expect(archive()).rejects.toThrow(/EEXIST|ENOTDIR/)
  expect((await stint.events.list()).items).toHaveLength(3)
  rmSync(archiveDirectory)
  await again()
  await archive()
  expect((await stint.events.archived()).items).toMatchObject([{ count: 2 }])
})

it('takes its file back when somebody else was faster', async () => {
  const { stint, planted, archive, files } = await plantedArchive()
  planted['archive.record'] = async (input, store) => {
    await store.control('archive.record', { ...input, file: 'of-another' })
    return await store.control('archive.record', input)
  }
  await archive()
  expect((await stint.events.archived()).items.map(({ file }) => file)).toEqual(['of-another'])
  expect(files()).toEqual([])
})

it('keeps its file when somebody else was faster with the very same', async () => {
  const { stint, planted, archive } = await plantedArchive()
  planted['archive.record'] = async (input, store) => {
    await store.control('archive.record', input)
    throw new StintError('conflict', 'Both looked at the same moment.', { file: input.file })
  }
  await archive()
  const [segment] = (await stint.events.archived()).items
  expect(await read(stint, segment?.file ?? '')).toHaveLength(2)
})

it('keeps its file when it is not known what became of the entries', async () => {
  const { planted, archive, files } = await plantedArchive()
  planted['archive.record'] = () =>
    Promise.reject(new StintError('conflict', 'Others were in the way.', { attempts: 5 }))
  await expect(archive()).rejects.toThrow('in the way')
  expect(files()).toHaveLength(1)
})

onBothStores('a worker', (setup) => {
  it('archives old entries by itself, and others go on reading', async () => {
    const archiveDirectory = temporaryDirectory()
    const { stint } = await setup({ archiveDirectory })
    await stint.retention.set('/r', { jobsMs: 0, eventsMs: 0 })
    const job = await stint.submit(greet, 1, { name: '/r/greet' })
    const first = await until(
      () => stint.events.list({ limit: 1 }),
      ({ items }) => items.length === 1,
    )
    await startWorker(stint, { jobs: [greet] })
    await job.result()
    await stint.events.append({ type: 'newest', namespace: 'other' })
    // A worker looks at once when it starts.
    const entries = await until(
      async () => {
        await (await startWorker(stint, { jobs: [] })).stop()
        const { items } = await stint.events.archived()
        return (await Promise.all(items.map(({ file }) => read(stint, file)))).flat()
      },
      (found) => found.length > 0,
    )
    const rest = await until(
      () => stint.events.list({ cursor: first.cursor }),
      ({ items }) => items.at(-1)?.eventType === 'newest',
    )
    expect(entries.every(({ logId }) => !rest.items.some((entry) => entry.logId === logId))).toBe(true)
    expect(await stint.verify()).toEqual({ differences: [] })
  })
})
