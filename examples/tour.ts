/**
 * A short tour: jobs on an embedded database, with the whole history of what happened to them. Run it with `npm start`.
 * The worker here is a loop of twenty lines, to show what happens beneath: claim, run, decide, write.
 */
import { createStint, type Stint } from 'stint'

const stint = await createStint({ url: 'sqlite::memory:' })

say('Submit four jobs. When submit returns, the job is on the disk (here: in memory).')
await stint.submit('greet', { who: 'Ada' }, { name: '/tour/greet-ada' })
await stint.submit('greet', { who: 'Grace' }, { name: '/tour/greet-grace', priority: 5 })
await stint.submit('flaky', { failTimes: 1 }, { name: '/tour/flaky', retry: { baseMs: 0 } })
await stint.submit('greet', { who: 'nobody' }, { name: '/tour/later', scheduledFor: new Date(Date.now() + 3_600_000) })

say('A name is unique among jobs that are not over:')
await stint.submit('greet', {}, { name: '/tour/greet-ada' }).catch((error: Error) => say(`  ${error.message}`))

say('Work until nothing is ready. Higher priority first, then in order:')
await work(stint, {
  greet: ({ who }) => `Hello, ${who}!`,
  flaky: ({ failTimes }, attempt) => {
    if (attempt <= Number(failTimes)) throw new Error(`attempt ${attempt} fails on purpose`)
    return `attempt ${attempt} succeeds`
  },
})

say('What became of them:')
for (const name of ['/tour/greet-grace', '/tour/greet-ada', '/tour/flaky', '/tour/later']) {
  const job = await stint.jobs.get(name)
  say(`  ${name.padEnd(18)} ${job?.outcome ?? job?.status}  ${JSON.stringify(job?.result ?? job?.reason)}`)
}

say('The log remembers everything, and each state can be derived from it again:')
for (const { eventType, version, jobId, attributes } of (await stint.events.list({ job: '/tour/flaky' })).items) {
  say(`  ${jobId?.slice(-4)} v${version} ${eventType.padEnd(18)} ${attributes['error'] ?? ''}`)
}
const { differences } = await stint.verify()
say(`verify: ${differences.length} differences between the jobs and their events`)
await stint.close()

type Handlers = Record<string, (params: Record<string, unknown>, attempt: number) => string>

async function work({ store }: Stint, handlers: Handlers): Promise<void> {
  for (let turn = 1; ; turn++) {
    const token = `tour-${turn}`
    const [claimed] = await store.claim({ workerId: 'tour', token, types: Object.keys(handlers), limit: 1 })
    if (claimed === undefined) return
    const { job, params } = claimed
    try {
      const output = handlers[job.type]?.(JSON.parse(params ?? '{}'), job.attempt)
      say(`  ${job.name} (attempt ${job.attempt}): ${output}`)
      const ending = { kind: 'completed', resultDigest: null } as const
      await store.apply([{ job: claimed, command: { type: 'finish', token, ending }, result: JSON.stringify(output) }])
    } catch (error) {
      say(`  ${job.name} (attempt ${job.attempt}): ${error}`)
      const ending = { kind: 'failed', error: String(error), terminal: false, random: Math.random() } as const
      await store.apply([{ job: claimed, command: { type: 'finish', token, ending } }])
    }
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
