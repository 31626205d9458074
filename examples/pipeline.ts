/** A pipeline: jobs that hand their results on, a person who approves in between, and what becomes of the rest when one fails. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createStint, defineJob, definePipeline, type JobContext, type JobHandle, TerminalError } from 'stint'

const fetchRows = defineJob('fetch', {
  run: ({ params }: JobContext<{ day: string }>) => {
    if (params.day === 'someday') throw new TerminalError('there is no such day')
    return [params.day, 'b', 'b']
  },
})
const cleanRows = defineJob('clean', {
  run: ({ params }: JobContext<{ rows: readonly string[] }>) => [...new Set(params.rows)],
})
const publish = defineJob('publish', {
  run: ({ params }: JobContext<{ rows: readonly string[] }>) => `${params.rows.length} rows`,
})
const tell = defineJob('tell', {
  run: ({ params, upstream }: JobContext<{ published: string | null }>) =>
    params.published ?? `nothing came: ${upstream[0]?.error}`,
})

// Says which jobs there are and what goes from one to the other. A worker makes all of them in one transaction.
const report = definePipeline('report', (p, { day }: { day: string }) => {
  const rows = p.run(fetchRows, { day })
  const clean = p.run(cleanRows, { rows: rows.output })
  const approval = p.promise<boolean>('approval', { label: 'Fit to print?' })
  return p.run(publish, { rows: clean.output }, { after: [approval] }).output
})

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [report, fetchRows, cleanRows, publish, tell], concurrency: 1, upkeepMs: 100 })
await worker.start()

const daily = await stint.submit(report, { day: '2026-11-15' }, { name: '/reports/daily' })
while ((await stint.jobs.get('/reports/daily/clean'))?.outcome !== 'COMPLETED') await sleep(5)
console.log('before the approval:')
await draw(daily)
for (const name of ['/reports/daily', '/reports/daily/publish'])
  console.log(`${name} ${(await stint.jobs.get(name))?.reason}`)

// A slot is written once. Whoever fills it lets the jobs go on that waited for it, in the same transaction.
await stint.slots.fill('/reports/daily/approval', true, { by: 'Ada' })
await stint.slots
  .fill('/reports/daily/approval', false)
  .catch(({ code, message }) => console.log(`${code}: ${message}`))
console.log('result:', await daily.result())
console.log('after it:')
await draw(daily)

// What waits for a value that will never come is over at once, unless it says that it wants to run without.
const failing = await stint.submit(report, { day: 'someday' }, { name: '/reports/someday' })
const told = await stint.submit(
  tell,
  { published: failing.output },
  { name: '/reports/told', onUpstreamFailure: 'run' },
)
console.log('told:', await told.result())
while ((await stint.slots.get('/reports/someday/approval')) !== null) await sleep(5)
await draw(failing)
console.log('/reports/someday/publish:', (await stint.jobs.get('/reports/someday/publish'))?.error)
await stint.close()

/** One line for each job and slot: its state, and where its value goes. */
async function draw(job: JobHandle<unknown>): Promise<void> {
  const { jobs, slots, edges } = await stint.graph(job)
  const parts = [
    ...jobs.map(({ id, name, status, outcome }) => ({ id, name, state: outcome ?? status ?? '' })),
    ...slots.map(({ id, path, status }) => ({ id, name: path, state: status })),
  ]
  const nameOf = new Map(parts.map(({ id, name }) => [id, name]))
  for (const { id, name, state } of parts) {
    const to = edges.filter(({ from }) => from === id).map((edge) => `${nameOf.get(edge.to)} (${edge.at ?? 'after'})`)
    console.log(`  ${state.padEnd(9)} ${name}${to.length === 0 ? '' : ` → ${to.join(', ')}`}`)
  }
}
