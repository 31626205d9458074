import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { bulkOf } from '../../bench/harness/bulk.ts'
import { Statements } from '../../src/store/postgres/statements.ts'
import { newPostgres } from '../support/fixture.ts'
import { mostRead } from '../support/plans.ts'
import { times } from '../support/racing.ts'

const many = 50_000

it('reads on PostgreSQL look at little of very many jobs, whatever the statistics say', async () => {
  const { open, raw, place } = newPostgres()
  await open()
  for (const statement of bulkOf('postgres', many)) await raw(statement)
  const client = new pg.Client(place.url)
  await client.connect()
  onTestFinished(() => client.end())
  const sql = new Statements(place.schema ?? '')
  const read = async (name: string, given: Readonly<Record<string, unknown>>) => {
    const { text, params } = sql.prepare(name)
    const values = params.map((param) => given[param] ?? null)
    await client.query(sql.prepare('beginLook').text)
    const { rows } = await client.query(`explain (analyze, format json) ${text}`, values)
    await client.query('commit')
    return mostRead(rows[0]['QUERY PLAN'][0].Plan)
  }
  const page = { before: many / 2, count: 100 }
  const some = { most: 1_001, looked_max: 202, count_max: 100 }
  const pks = times(100, (i) => 1 + i * 9)
  for (const statistics of ['none', 'fresh']) {
    if (statistics === 'fresh') await raw('analyze')
    const counts = {
      roots: await read('treeNames', { prefix: '/', until: '0', after: '', steps: 330 }),
      names: await read('treeNames', { prefix: '/load/', until: '/load0', after: '', steps: 330 }),
      nodes: await read('treeNodes', { paths: ['/load', '/rare', '/load/g7'], ...some }),
      ended: await read('treeEnded', { paths: ['/load', '/rare'], ...some }),
      all: await read('jobKeys', page),
      key: await read('jobKeysOfKey', { ...page, key: 'the key' }),
      running: await read('jobKeysRunning', page),
      cancelled: await read('jobKeysCancelled', page),
      outcome: await read('jobKeysOfOutcome', { ...page, outcome: 1 }),
      queuedCount: await read('queuedCount', some),
      queued: await read('jobKeysQueued', page),
      branchCount: await read('branchCount', { branch: '/load', ...some }),
      branch: await read('jobKeysOfBranch', { ...page, branch: '/load/g7' }),
      matching: await read('jobKeysMatching', { pks, limit: 100, tasks: 0, status: 'final', outcome: 0 }),
    }
    expect(
      Object.entries(counts).filter(([, count]) => count > 1_500),
      statistics,
    ).toEqual([])
  }
})
