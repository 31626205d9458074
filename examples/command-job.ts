/** A job that is a program: no shell, a clean environment, its output in the log of the run, its files listed on it. */
import { createStint, defineCommand } from 'stint'

const report = defineCommand('report', {
  timeoutMs: 60_000,
  command: (params: { day: string }) => ({
    program: 'sh',
    args: ['-c', 'echo "report of $1 by $STINT_TASK_ID"; echo done > "$STINT_ARTIFACTS/report.txt"', 'sh', params.day],
  }),
})
const broken = defineCommand('broken', { command: { program: 'sh', args: ['-c', 'echo oh no >&2; exit 3'] } })

const parts = defineCommand('parts', {
  command: { program: 'sh', args: ['-c', 'echo "$STINT_TASK_ID of $STINT_SHARD_COUNT"'] },
  shards: 4,
})

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [report, broken, parts] })
await worker.start()

const job = await stint.submit(report, { day: '2026-11-16' }, { name: '/examples/report' })
await job.result()
const [run] = (await stint.runs.list({ job: job.id })).items
console.log(`exit code ${run?.exitCode}, artifacts: ${run?.artifacts.join(', ')}`)
for (const { line } of (await stint.runs.log({ job: job.id, attempt: 1 })).items) console.log(`  | ${line}`)

const failing = await stint.submit(broken, undefined, { maxAttempts: 1 })
await failing.result().catch((error: Error) => console.log(error.message))

// The same program once for each shard, on all workers: it knows which one it is.
const sharded = await stint.submit(parts, undefined, { name: '/examples/parts' })
await sharded.result()
const { items } = await stint.runs.log({ job: '/examples/parts/3', attempt: 1 })
console.log(items.map(({ line }) => line).join())
await stint.close()
