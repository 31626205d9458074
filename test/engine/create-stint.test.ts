import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createStint, JobName, JobRunId } from '../../src/index.ts'

async function setup(options: Partial<Parameters<typeof createStint>[0]> = {}) {
  const stint = await createStint({ url: 'sqlite::memory:', ...options })
  onTestFinished(() => stint.close())
  return stint
}

describe('createStint', () => {
  it('submits a job and finds it by JobRunId, UUID and name', async () => {
    const stint = await setup({ project: 'shop', database: 'main' })
    const job = await stint.submit('email', { to: 'ada' }, { name: '/mail/welcome', labels: { team: 'red' }, key: 'k' })
    const id = JobRunId.parse(job.id)
    expect(id).toMatchObject({ project: 'shop', database: 'main', namespace: 'mail' })
    expect(job).toMatchObject({ status: 'QUEUED', state: 'initial', params: { to: 'ada' }, attempt: 0, outcome: null })
    const { output } = job
    expect(output.id).toBe(job.id)
    for (const handle of [job.id, id, id.name, '/mail/welcome', JobName.parse('/mail/welcome')]) {
      expect(await stint.jobs.get(handle)).toEqual({
        ...job.toJSON(),
        result: null,
        reason: 'no worker knows the type email',
      })
    }
  })

  it('shows exactly the fields of a job', async () => {
    const stint = await setup()
    const fields =
      'id name type key labels templateId scheduleId groupId retryOf submittedBy params priority position state'
    const more =
      'status reason attempt charged error result outcome scheduledFor expiresAt createdAt queuedAt startedAt'
    const expected = `${fields} ${more} finishedAt updatedAt`.split(' ')
    const handle = await stint.submit('x')
    expect(Object.keys(handle)).toEqual([...expected, 'toJSON', 'output'])
    expect(Object.keys((await stint.jobs.get(handle)) ?? {})).toEqual(expected)
  })

  it('finds nothing under an id of another project, database or namespace', async () => {
    const stint = await setup({ project: 'shop' })
    const job = await stint.submit('x', null, { name: '/a/b' })
    const { name } = JobRunId.parse(job.id)
    for (const foreign of [`other::a:${name}`, `shop:db:a:${name}`, `shop::b:${name}`]) {
      expect(await stint.jobs.get(foreign)).toBeNull()
    }
    expect(await stint.jobs.get('/a/c')).toBeNull()
    expect(await stint.runs.list({ job: '/a/c' })).toEqual({ items: [], cursor: null })
    expect(await stint.events.list({ job: '/a/c' })).toEqual({ items: [], cursor: null })
  })

  it('makes up a name when none is given, and puts a relative one below its namespace', async () => {
    const stint = await setup({ namespace: 'team' })
    expect((await stint.submit('email')).name).toMatch(/^\/team\/email-[0-9a-z]+$/)
    expect((await stint.submit('email', null, { name: 'a/b' })).name).toBe('/team/a/b')
  })

  it('says why a job is not running', async () => {
    const stint = await setup()
    const later = await stint.submit('x', null, { scheduledFor: new Date('2100-01-01T00:00:00Z') })
    expect(later.reason).toBe('is due at 2100-01-01T00:00:00.000Z')
    expect((await stint.submit('x')).reason).toContain('waits for a worker')
  })

  it('throws what the store refuses, with its code', async () => {
    const stint = await setup()
    await stint.submit('x', null, { name: '/a/b' })
    await expect(stint.submit('x', null, { name: '/a/b' })).rejects.toMatchObject({ code: 'name_taken' })
    await expect(stint.submit('x', { n: Number.NaN })).rejects.toMatchObject({
      code: 'invalid_json',
      details: { field: 'params.n' },
    })
    await expect(stint.submit('x', null, { scheduledFor: new Date('nonsense') })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    await expect(stint.jobs.get('nonsense')).rejects.toMatchObject({ code: 'invalid_id' })
    await expect(stint.jobs.get(5 as unknown as string)).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it('refuses a bad URL without showing what may be a password, and a bad project', async () => {
    const refused = createStint({ url: 'mysql://root:secret@host/db' })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_argument', details: { field: 'url' } })
    await expect(refused).rejects.not.toThrow(/secret/)
    await expect(createStint({ url: 'sqlite::memory:', project: 'a:b' })).rejects.toMatchObject({ code: 'invalid_id' })
  })

  it('opens no more connections to PostgreSQL than it is told to', async () => {
    await expect(createStint({ url: 'postgres://nowhere', connectionMax: 0 })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { field: 'connectionMax' },
    })
    const name = `few_${randomUUID().slice(0, 8)}`
    const url = new URL(inject('postgresUrl'))
    url.searchParams.set('application_name', name)
    const observer = new pg.Client(inject('postgresUrl'))
    await observer.connect()
    const stint = await createStint({ url: url.href, schema: name, connectionMax: 2 })
    onTestFinished(async () => {
      await stint.close()
      await observer.query(`drop schema ${name} cascade`)
      await observer.end()
    })
    await Promise.all(Array.from({ length: 20 }, () => stint.jobs.list()))
    const count = 'select count(*)::integer as count from pg_stat_activity where application_name = $1'
    expect((await observer.query(count, [name])).rows).toEqual([{ count: 2 }])
  })

  it('verifies, and lists events and runs', async () => {
    const stint = await setup()
    const job = await stint.submit('x', [1])
    expect(await stint.verify()).toEqual({ differences: [] })
    const all = await stint.events.list()
    expect(all.items.map(({ eventType }) => eventType)).toEqual(['job.created'])
    expect(await stint.events.list({ job: job.id, limit: 5 })).toEqual(all)
    expect((await stint.events.list({ cursor: all.cursor })).items).toEqual([])
    expect(await stint.runs.list({ job: job.id })).toEqual({ items: [], cursor: null })
  })
})
