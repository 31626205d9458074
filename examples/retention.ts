/** Retention: what is over leaves by the policy of its path, and the log goes to files that can be read and checked. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineJob, type JobContext } from 'stint'
import { createTestStint } from 'stint/testing'

const day = 24 * 60 * 60 * 1_000
const report = defineJob('report', {
  run: (ctx: JobContext<{ day: number }>) => {
    ctx.log(`the report of day ${ctx.params.day}`)
    return ctx.params.day
  },
})

// The clock of the test kit, so that months pass at once. Otherwise any worker does what `advance` does here.
const archiveDirectory = await mkdtemp(join(tmpdir(), 'stint-retention-'))
const { stint, drain, advance } = await createTestStint({ jobs: [report], archiveDirectory })

// Reports go after a week, their runs after a year, and the log of both after a month. Audits stay for ever.
await stint.retention.set('/reports', { jobsMs: 7 * day, runsMs: 365 * day, eventsMs: 30 * day })
await stint.retention.set('/reports/audits', { jobsMs: null })
console.log('at /reports/audits:', JSON.stringify(await stint.retention.get('/reports/audits')))

const ids: string[] = []
for (const number of [1, 2, 3]) {
  const { id } = await stint.submit(report, { day: number }, { name: `/reports/day-${number}` })
  ids.push(id)
  await drain()
  await advance(day)
}
await stint.submit(report, { day: 0 }, { name: '/reports/audits/first' })
await drain()
const names = async () => (await stint.jobs.list()).items.map(({ name }) => name).join(' ')
console.log('jobs:', await names())

// The first was over eight days ago, the second seven, the third six.
await advance(5 * day)
console.log('five days later:', await names())
await advance(day)
console.log('a day later:', await names())

// A job that has left has left its runs behind. They are found by its id and by its name.
const { items: runs } = await stint.runs.list({ job: '/reports/day-1' })
const { items: lines } = await stint.runs.log({ job: '/reports/day-1', attempt: 1 })
console.log(`its run: ${runs[0]?.status}, ${lines[0]?.line}`)

// After a month what happened to it leaves the log for a file. Nothing leaves that is not in one.
const before = (await stint.events.list()).items
await advance(40 * day)
const after = (await stint.events.list()).items
const { items: segments } = await stint.events.archived()
const archived = []
for (const { file } of segments) for await (const entry of stint.events.readSegment(file)) archived.push(entry)
archived.sort((a, b) => a.logId - b.logId)
console.log(`the log had ${before.length} entries, has ${after.length}, and ${archived.length} are in files`)
const all = [...archived, ...after].sort((a, b) => a.logId - b.logId)
console.log('nothing is lost or changed:', JSON.stringify(all) === JSON.stringify(before))
console.log('of the first report:', archived.filter(({ jobId }) => jobId && ids[0]?.endsWith(jobId)).length)
console.log('what is left is right:', (await stint.verify()).differences.length === 0)

// A file in which one bit is another is not read at all.
const path = join(archiveDirectory, segments[0]?.file ?? '')
const bytes = await readFile(path)
bytes[20] = (bytes[20] ?? 0) ^ 1
await writeFile(path, bytes)
await stint.events
  .readSegment(segments[0]?.file ?? '')
  .next()
  .catch(({ code }) => console.log('damaged:', code))

await advance(365 * day)
console.log('runs after a year:', (await stint.runs.list({ job: ids[0] ?? '' })).items.length)
await stint.close()
await rm(archiveDirectory, { recursive: true })
