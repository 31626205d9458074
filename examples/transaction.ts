/**
 * A job that exists exactly if the caller's own transaction commits. It needs PostgreSQL:
 *   node --conditions=stint-source examples/transaction.ts postgres://user@host/database
 */
import pg from 'pg'
import { createStint } from 'stint'
import { greet } from './jobs.ts'

const url = process.argv[2] ?? process.env['DATABASE_URL']
if (url === undefined) throw new Error('Give the URL of a PostgreSQL database as the first argument.')

const stint = await createStint({ url, schema: 'stint_example' })
const client = new pg.Client(url)
await client.connect()
await client.query('create temporary table customers (name text)')

for (const ending of ['rollback', 'commit']) {
  await client.query('begin')
  await client.query('insert into customers (name) values ($1)', [ending])
  const name = `/examples/greet-${ending}`
  await stint.submit(greet, { who: ending }, { name, transaction: client, onConflict: 'keep' })
  await client.query(ending)
  console.log(`${ending}: the job ${(await stint.jobs.get(name)) === null ? 'does not exist' : 'exists'}`)
}

const worker = stint.worker({ jobs: [greet] })
await worker.start()
console.log(await stint.jobs.result('/examples/greet-commit'))
await client.end()
await stint.close()
