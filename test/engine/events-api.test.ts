import { expect, it } from 'vitest'
import { defineJob, type OutsideEventInput } from '../../src/index.ts'
import { codeOf } from '../support/requests.ts'
import { onBothStores, startWorker } from '../support/stint.ts'

onBothStores('events', (setup) => {
  it('are shown without the tokens of attempts, but outside ones as they came', async () => {
    const { stint, store } = await setup()
    const job = defineJob('job', { run: () => 1 })
    await startWorker(stint, { jobs: [job] })
    const submitted = await stint.submit(job)
    await submitted.result()
    await stint.events.append({ type: 'hint', job: submitted.id, attributes: { token: 'theirs' } })
    const { items } = await stint.events.list({ job: submitted.id })
    expect(items.map(({ eventType }) => eventType)).toEqual([
      ...['job.created', 'job.run.started', 'job.run.completed', 'hint'],
    ])
    expect(items.map(({ attributes }) => attributes['token'])).toEqual([undefined, undefined, undefined, 'theirs'])
    // It is there, and only not shown.
    const jobId = submitted.id.split(':').at(-1) ?? ''
    const stored = await store.events({ jobId, limit: 10 })
    expect(stored.entries.some(({ attributes, version }) => version !== null && 'token' in attributes)).toBe(true)
  })

  it('are shown of one record alone', async () => {
    const { stint } = await setup()
    const template = await stint.templates.create({ path: '/e/made', job: 'job' })
    const group = await stint.groups.create({ path: '/e/made', mode: 'parallel' })
    const types = async (record: string | { id: string }) => {
      return (await stint.events.list({ record })).items.map(({ eventType }) => eventType)
    }
    expect(await types(template.id)).toEqual(['template.created'])
    expect(await types(group)).toEqual(['group.created'])
    expect(await types('/e/made')).toEqual(['template.created', 'group.created'])
    expect(await types('/e/none')).toEqual([])
    expect(await codeOf(stint.events.list({ record: 'e' }))).toBe('invalid_argument')
    expect(await codeOf(stint.events.list({ record: group, job: '/e/made' }))).toBe('invalid_argument')
  })

  it('are followed by the cursor', async () => {
    const { stint } = await setup()
    for (let i = 0; i < 5; i++) await stint.events.append({ type: 'tick', id: String(i) })
    const seen: string[] = []
    let cursor: string | null = null
    // On PostgreSQL readers wait for any transaction that is still open, and other tests have some.
    const follow = async (count: number) => {
      while (seen.length < count) {
        const page = await stint.events.list({ limit: 2, cursor })
        seen.push(...page.items.map(({ eventId }) => eventId))
        cursor = page.cursor
      }
    }
    await follow(5)
    expect(seen).toEqual(['0', '1', '2', '3', '4'])
    await stint.events.append({ type: 'tick', id: '5' })
    await follow(6)
    expect(seen.at(-1)).toBe('5')
  })

  it('each have their own fate when many are recorded', async () => {
    const { stint } = await setup()
    const job = await stint.submit('x', null, { name: '/shop/x' })
    const events = [
      { type: 'ok', id: '1' },
      { type: 'ok', id: '1' },
      { type: 'job.created' },
      { type: 'ok', job: '/no/job' },
      { type: 'ok', job: 'nonsense' },
      { type: 'ok', occurredAt: new Date(Number.NaN) },
      { type: 'ok', occurredAt: 5 },
      null,
      { type: 'ok', job: job.id, id: '2', source: 'bank', occurredAt: new Date(5), taskId: 't' },
    ]
    const results = await stint.events.appendMany(events as readonly OutsideEventInput[])
    expect(results.map((result) => (result.outcome === 'refused' ? result.error.code : result.outcome))).toEqual([
      ...['recorded', 'duplicate', 'reserved_event_type', 'not_found', 'invalid_id', 'invalid_argument'],
      ...['invalid_argument', 'invalid_argument', 'recorded'],
    ])
    await expect(stint.events.append({ type: 'job.x' })).rejects.toMatchObject({ code: 'reserved_event_type' })
    const last = (await stint.events.list({ job: job.id })).items.at(-1)
    expect(last).toMatchObject({ namespace: 'shop', source: 'bank', occurredAt: 5, taskId: 't', version: null })
  })
})
