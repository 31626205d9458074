// What a user of the package may write in TypeScript. The tests type-check it strictly against the types of the packed
// and installed package, and then run it.
import assert from 'node:assert/strict'
import { createStint, type ErrorCode, type JobHandle, JobName, JobRunId, type JobView, StintError } from 'stint'

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
  const { differences } = await stint.verify()
  assert.equal(differences.length, 0)
  await stint.close()
}

console.log(`used ${name}`)
