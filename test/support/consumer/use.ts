// What a user of the package may write in TypeScript. The tests type-check it strictly against the types of the packed
// and installed package, and then run it.
import assert from 'node:assert/strict'
import {
  createStint,
  defineCommand,
  defineJob,
  type ErrorCode,
  type JobContext,
  type JobHandle,
  JobName,
  JobRunId,
  type JobView,
  StintError,
} from 'stint'
import { createTestStint } from 'stint/testing'

const name: JobName = JobName.parse('/reports/daily/3')
const index: number | null = name.taskIndex
assert.equal(index, 3)

const id: JobRunId = JobRunId.parse('shop:orders:eu:nightly')
assert.equal(JobRunId.parse(id.encode()).equals(id), true)

function codeOf(action: () => unknown): ErrorCode | null {
  try {
    action()
    return null
  } catch (error) {
    if (error instanceof StintError) return error.code
    throw error
  }
}
assert.equal(
  codeOf(() => JobName.parse('reports')),
  'invalid_name',
)

// @ts-expect-error Types that let this through would be `any`, which is what a broken declaration file decays to.
assert.throws(() => JobName.parse(3))

for (const url of process.argv.slice(2)) {
  const stint = await createStint({ url, schema: 'used_from_typescript' })
  const job: JobHandle = await stint.submit('render', { day: 3 }, { name: '/reports/daily', onConflict: 'replace' })
  const found: JobView | null = await stint.jobs.get(job.id)
  assert.deepEqual(found?.params, { day: 3 })

  // Threads and helper processes are files of their own: they must be there in the package, too.
  const double = defineJob('double', { run: (ctx: JobContext<{ n: number }>) => ctx.params.n * 2 })
  const echo = defineCommand('echo', { command: { program: 'echo', args: ['hello'] } })
  const worker = stint.worker({ jobs: [double, echo] })
  await worker.start()
  const doubled: number = await (await stint.submit(double, { n: 21 })).result()
  assert.equal(doubled, 42)
  const said = await stint.submit(echo)
  await said.result()
  assert.deepEqual(
    (await stint.runs.log({ job: said.id, attempt: 1 })).items.map(({ line }) => line),
    ['hello'],
  )
  // @ts-expect-error The params of a job have a type.
  await stint.submit(double, { n: 'many' }).catch(() => {})

  const { differences } = await stint.verify()
  assert.equal(differences.length, 0)
  await stint.close()
}

const greet = defineJob('greet', { run: () => 'hello' })
const kit = await createTestStint({ jobs: [greet] })
const greeted = await kit.stint.submit(greet, undefined, { scheduledFor: new Date(kit.clock.now() + 86_400_000) })
await kit.advance(86_400_000)
assert.equal(await greeted.result(), 'hello')
await kit.close()

console.log(`used ${name}`)
