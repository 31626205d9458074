// What a user of the package may write in JavaScript. The tests run it against the packed and installed package.
import assert from 'node:assert/strict'
import { createStint, JobName, JobRunId, StintError } from 'stint'

const name = JobName.parse('/reports/daily/3')
assert.equal(name.taskIndex, 3)

const id = JobRunId.parse('shop:orders:eu:nightly')
assert.equal(JobRunId.parse(id.encode()).equals(id), true)

assert.throws(
  () => JobName.parse('reports'),
  (error) => error instanceof StintError && error.code === 'invalid_name',
)

for (const url of process.argv.slice(2)) {
  const stint = await createStint({ url, schema: 'used_from_javascript' })
  const job = await stint.submit('render', { day: 3 }, { name: '/reports/daily', onConflict: 'replace' })
  assert.deepEqual((await stint.jobs.get(job.id)).params, { day: 3 })
  assert.deepEqual(await stint.verify(), { differences: [] })
  await stint.close()
}

console.log(`used ${name}`)
