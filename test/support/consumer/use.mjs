// What a user of the package may write in JavaScript. The tests run it against the packed and installed package.
import assert from 'node:assert/strict'
import { JobName, JobRunId, StintError } from 'stint'

const name = JobName.parse('/reports/daily/3')
assert.equal(name.taskIndex, 3)

const id = JobRunId.parse('shop:orders:eu:nightly')
assert.equal(JobRunId.parse(id.encode()).equals(id), true)

assert.throws(
  () => JobName.parse('reports'),
  (error) => error instanceof StintError && error.code === 'invalid_name',
)

console.log(`used ${name}`)
