/** Schedules: cron or intervals, in any time zone, without a fire that is lost or doubled. */
import { createStint, defineJob, previewFires } from 'stint'

// Clocks are set forward over half past two on 8 March: it fires once, at the first moment that exists.
console.log('next fires:')
const nightlySpec = { cron: '30 2 * * *', timezone: 'America/New_York' }
for (const fire of previewFires(nightlySpec, { from: '2026-03-07T00:00:00Z', count: 3 })) console.log(`  ${fire}`)

const backup = defineJob('backup', { run: (ctx) => `backed up as ${ctx.name}` })
const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [backup] })
await worker.start()

// `overlap` says what happens while the last one still runs, `catchUp` what happens after a time without any worker.
const nightly = await stint.schedules.create({
  path: '/backups/nightly',
  job: backup,
  ...nightlySpec,
  overlap: 'skip',
  catchUp: 'latest',
})
console.log(`${nightly.path}: ${nightly.description}`)

// One that fires often enough to be watched.
await stint.schedules.create({ path: '/backups/often', job: backup, intervalMs: 50 })
const done = async () => (await stint.jobs.list({ branch: '/backups/often', outcome: 'COMPLETED' })).items
while ((await done()).length < 3) await new Promise((resolve) => setTimeout(resolve, 20))
console.log('three fires are done:', (await done()).length >= 3)
await stint.schedules.disable('/backups/often')

// By hand, now; and for days that have passed: first what it would do, then for real.
const { jobId } = await stint.schedules.trigger('/backups/nightly')
console.log('triggered:', await stint.jobs.result(jobId ?? ''))
const days = { from: '2026-01-01T00:00:00Z', to: '2026-01-05T00:00:00Z' }
const plan = await stint.schedules.backfill('/backups/nightly', { ...days, dryRun: true })
console.log(`a backfill would run ${plan.length}:`, plan.map(({ at }) => at.toISOString().slice(0, 10)).join(' '))
const filled = await stint.schedules.backfill('/backups/nightly', days)
await Promise.all(filled.map((item) => stint.jobs.result(item.jobId ?? '')))
console.log('again, it would run:', (await stint.schedules.backfill('/backups/nightly', days)).filter(isRun).length)
await stint.close()

function isRun({ action }: { readonly action: string }): boolean {
  return action === 'run'
}
