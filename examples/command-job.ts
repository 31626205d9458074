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

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [report, broken] })
await worker.start()

const job = await stint.submit(report, { day: '2026-11-16' }, { name: '/examples/report' })
await job.result()
const [run] = (await stint.runs.list({ job: job.id })).items
console.log(`exit code ${run?.exitCode}, artifacts: ${run?.artifacts.join(', ')}`)
for (const { line } of (await stint.runs.log({ job: job.id, attempt: 1 })).items) console.log(`  | ${line}`)

const failing = await stint.submit(broken, undefined, { maxAttempts: 1 })
await failing.result().catch((error: Error) => console.log(error.message))
await stint.close()
