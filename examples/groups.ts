/** Groups: jobs that belong together, all at once or one after the other. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createStint, defineJob, type JobContext, TerminalError } from 'stint'

let [running, most] = [0, 0]
const resize = defineJob('resize', {
  run: async (ctx: JobContext<{ image: number }>) => {
    running += 1
    most = Math.max(most, running)
    await sleep(5)
    running -= 1
    return ctx.params.image
  },
})
const deploy = defineJob('deploy', {
  run: (ctx: JobContext<{ to: string }>) => {
    if (ctx.params.to === 'canary') throw new TerminalError('the canary died')
  },
})
const report = defineJob('report', {
  run: ({ params }: JobContext<{ group: { path: string; status: string } }>) => {
    return `${params.group.path} is ${params.group.status}`
  },
})

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [resize, deploy, report], concurrency: 20 })
await worker.start()

// All at once, but never more than three; and a job that follows when the last is over.
const album = await stint.groups.run({
  path: '/album/summer',
  mode: 'parallel',
  width: 3,
  finish: 'report',
  jobs: Array.from({ length: 12 }, (_, image) => ({ job: resize, params: { image } })),
})
const resized = await album.result()
console.log(
  `${resized.path}: ${resized.status}, ${resized.counts.completed} of ${resized.counts.total}, ${most} at once`,
)
console.log('report:', await stint.jobs.result(resized.finish?.jobId ?? ''))

// One after the other, whatever their priorities. Members are added until the group is sealed; then they run.
const rollout = await stint.groups.create({ path: '/rollout', mode: 'sequential', label: 'Version 7' })
for (const to of ['test', 'everybody', 'canary']) {
  await stint.submit(deploy, { to }, { name: `/deploy/${to}`, group: '/rollout' })
}
console.log('/deploy/test waits:', (await stint.jobs.get('/deploy/test'))?.reason)
await stint.groups.reorder(rollout, ['/deploy/test', '/deploy/canary', '/deploy/everybody'])
await stint.groups.seal(rollout)

// A member that has failed for good stops the rest, unless the group says onFailure: 'continue'.
const { status, counts } = await stint.groups.result(rollout)
console.log(
  `${rollout.label}: ${status}, ${counts.completed} done, ${counts.failed} failed, ${counts.cancelled} left out`,
)
for (const { name, id } of (await stint.groups.members(rollout)).items) {
  const job = await stint.jobs.get(id)
  console.log(`  ${name}: ${job?.outcome}${job?.error ? `, ${job.error}` : ''}`)
}
await stint.close()
