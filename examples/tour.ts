/** A short tour: jobs on an embedded database, and the whole history of what happened to them. Run it with `npm start`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createStint } from 'stint'
import { addUp, flaky, greet, hopeless, join, welcome } from './jobs.ts'

const stint = await createStint({ url: 'sqlite::memory:' })

say('Submit five jobs. When submit returns, the job is on the disk (here: in memory).')
await stint.submit(greet, { who: 'Ada' }, { name: '/tour/greet-ada' })
await stint.submit(greet, { who: 'Grace' }, { name: '/tour/greet-grace', priority: 5 })
await stint.submit(flaky, { failTimes: 1 }, { name: '/tour/flaky' })
await stint.submit(hopeless, undefined, { name: '/tour/hopeless' })
const inAnHour = new Date(Date.now() + 3_600_000)
await stint.submit(greet, { who: 'nobody' }, { name: '/tour/later', scheduledFor: inAnHour })

say('\nA name is unique among jobs that are not over:')
await stint
  .submit(greet, { who: 'Ada' }, { name: '/tour/greet-ada' })
  .catch((error: Error) => say(`  ${error.message}`))

say('\nStart a worker, and wait until nothing is left that is due:')
const worker = stint.worker({ jobs: [greet, flaky, hopeless, addUp, join, welcome] })
await worker.start()
const names = ['/tour/greet-grace', '/tour/greet-ada', '/tour/flaky', '/tour/hopeless']
await Promise.allSettled(names.map((name) => stint.jobs.result(name)))

for (const name of [...names, '/tour/later']) {
  const job = await stint.jobs.get(name)
  say(
    `  ${name.padEnd(18)} ${(job?.outcome ?? job?.status ?? '').padEnd(10)} ${job?.result ?? job?.error ?? job?.reason}`,
  )
}

say('\nCancel what nobody waits for any more:')
await stint.jobs.cancel('/tour/later', { reason: 'the tour is nearly over' })
const cancelled = await stint.jobs.get('/tour/later')
say(`  ${cancelled?.name} ${cancelled?.status}: ${cancelled?.error}`)

say('\nA template is what jobs are made of, a schedule says when:')
await stint.templates.create({
  path: '/tour/greeting',
  job: greet,
  params: { who: 'everybody' },
  description: 'For all',
})
const weekdays = await stint.schedules.create({
  path: '/tour/mornings',
  template: '/tour/greeting',
  cron: '30 8 * * 1-5',
  timezone: 'Europe/Berlin',
})
say(`  ${weekdays.path}: ${weekdays.description}; next ${weekdays.nextTriggerAt?.toISOString()}`)
const fired = await stint.schedules.trigger('/tour/mornings')
say(`  triggered by hand: ${await stint.jobs.result(fired.jobId ?? '')}`)

say('\nA group is many jobs as one:')
const guests = await stint.groups.run({
  path: '/tour/guests',
  mode: 'sequential',
  jobs: ['Barbara', 'Edsger', 'Leslie'].map((who) => ({ job: greet, params: { who } })),
})
const { status, counts } = await guests.result()
say(`  ${guests.path}: ${status}, ${counts.completed} of ${counts.total} completed, one after the other`)

say('\nA sharded job is one job as many, each in slices that are saved:')
const sum = await stint.submit(addUp, { upTo: 1_000 }, { name: '/tour/sum' })
const result = await sum.result()
const shards = await stint.shards.get(sum)
say(`  ${sum.name}: ${result}, ${shards?.done} of ${shards?.total} tasks done`)
const [task] = (await stint.shards.tasks(sum)).items
say(`  ${task?.name}: ${task?.status} after ${task?.slice} slices`)

say('\nA pipeline is jobs that hand their results on, and may wait for people in between:')
const evening = await stint.submit(welcome, { guests: ['Ada', 'Grace'] }, { name: '/tour/evening' })
while (!(await stint.jobs.get(evening))?.reason?.startsWith('waits for the value')) await sleep(5)
say(`  ${evening.name} ${(await stint.jobs.get(evening))?.reason}, and holds no worker`)
await stint.slots.fill('/tour/evening/doors', 'open', { by: 'the host' })
say(`  ${evening.name}: ${await evening.result()}`)

say('\nThe log remembers everything, and each state can be derived from it again:')
for (const { eventType, version, attributes } of (await stint.events.list({ job: '/tour/flaky' })).items) {
  say(`  v${version} ${eventType.padEnd(18)} ${attributes['error'] ?? ''}`)
}
const { differences } = await stint.verify()
say(`  verify: ${differences.length} differences between the jobs and their events`)
await worker.stop()
await stint.close()

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
