import { expect, it } from 'vitest'
import { currentContext, defineJob, type JobContext, type JobEndpoints } from '../../src/index.ts'
import { gate, onBothStores, startWorker, until, whenAborted } from '../support/stint.ts'

const url = 'http://10.0.0.7:9000'

onBothStores('endpoints', (setup) => {
  it('let jobs of one namespace find each other, on whatever worker they run', async () => {
    const { stint, open } = await setup()
    const other = await open()
    const [isUp, isDone] = [gate(), gate()]
    const trainer = defineJob('trainer', {
      run: async ({ endpoints: { register } }) => {
        await register('trainer', url)
        isUp.resolve()
        await isDone.promise
      },
    })
    const client = defineJob('client', {
      run: async ({ endpoints: { resolve, list } }) => {
        const { items, cursor } = await list()
        return { url: await resolve('trainer'), names: items.map(({ name, job }) => [name, job]), cursor }
      },
    })
    await startWorker(stint, { jobs: [trainer] })
    await startWorker(other, { jobs: [client] })
    const serving = await stint.submit(trainer, undefined, { name: '/ml/trainer' })
    await isUp.promise
    const ask = async (name: string) => (await stint.submit(client, undefined, { name })).result()
    expect(await ask('/ml/client')).toEqual({ url, names: [['trainer', '/ml/trainer']], cursor: null })
    expect(await ask('/web/client')).toEqual({ url: null, names: [], cursor: null })
    expect(await other.endpoints.resolve('trainer', { namespace: 'ml' })).toBe(url)
    expect(await other.endpoints.list({ namespace: 'ml' })).toMatchObject({
      items: [{ name: 'trainer', url, job: '/ml/trainer', registeredAt: expect.any(Date) }],
      cursor: null,
    })
    // Without a namespace it is the default one, where there is none.
    expect([await stint.endpoints.resolve('trainer'), (await stint.endpoints.list()).items]).toEqual([null, []])
    isDone.resolve()
    await serving.result()
    expect(await stint.endpoints.resolve('trainer', { namespace: 'ml' })).toBeNull()
    expect(await ask('/ml/again')).toEqual({ url: null, names: [], cursor: null })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('are found in the default namespace, page by page, until they are removed', async () => {
    const { stint } = await setup()
    const [isUp, isDone] = [gate(), gate()]
    const removed: boolean[] = []
    const job = defineJob('many', {
      run: async () => {
        const { register, remove, list } = (currentContext() as JobContext).endpoints
        for (const name of ['a', 'b', 'c']) await register(name, `${url}/${name}`)
        await register('b', url)
        removed.push(await remove('a'), await remove('a'))
        const first = await list({ limit: 1 })
        isUp.resolve()
        await isDone.promise
        return first.items.map(({ name }) => name)
      },
    })
    await startWorker(stint, { jobs: [job] })
    const handle = await stint.submit(job)
    await isUp.promise
    expect(removed).toEqual([true, false])
    const first = await stint.endpoints.list({ limit: 1 })
    expect(first).toMatchObject({ items: [{ name: 'b', url }], cursor: 'b' })
    const rest = await stint.endpoints.list({ cursor: first.cursor })
    expect(rest).toMatchObject({ items: [{ name: 'c', url: `${url}/c` }], cursor: null })
    isDone.resolve()
    expect(await handle.result()).toEqual(['b'])
  })

  it('belong to an attempt: the next has none, and may register the same', async () => {
    const { stint } = await setup()
    const seen: (string | null)[] = []
    const isUp = [gate(), gate()]
    const isDone = gate()
    const job = defineJob('restarted', {
      retry: { baseMs: 0 },
      run: async ({ attempt, endpoints }) => {
        seen.push(await endpoints.resolve('x'))
        await endpoints.register('x', `${url}/${attempt}`)
        isUp[attempt - 1]?.resolve()
        if (attempt === 1) throw new Error('again')
        await isDone.promise
      },
    })
    await startWorker(stint, { jobs: [job] })
    const handle = await stint.submit(job)
    await isUp[1]?.promise
    expect(seen).toEqual([null, null])
    expect(await stint.endpoints.resolve('x')).toBe(`${url}/2`)
    isDone.resolve()
    await handle.result()
    expect(await stint.endpoints.resolve('x')).toBeNull()
  })

  it('of a live attempt are refused to others, as is what makes no sense', async () => {
    const { stint } = await setup()
    const [isUp, isDone] = [gate(), gate()]
    const holder = defineJob('holder', {
      run: async ({ endpoints }) => {
        await endpoints.register('x', url)
        isUp.resolve()
        await isDone.promise
      },
    })
    const rival = defineJob('rival', {
      run: async ({ endpoints }) => {
        const codeOf = (call: Promise<unknown>) => call.then(String, ({ code }) => code)
        return [
          await codeOf(endpoints.register('x', url)),
          await codeOf(endpoints.register('a b', url)),
          await codeOf(endpoints.register('y', 'nowhere')),
          await codeOf(endpoints.remove('x')),
        ]
      },
    })
    await startWorker(stint, { jobs: [holder, rival], concurrency: 2 })
    const handle = await stint.submit(holder)
    await isUp.promise
    const codes = ['endpoint_taken', 'invalid_argument', 'invalid_argument', 'false']
    expect(await (await stint.submit(rival)).result()).toEqual(codes)
    expect(await stint.endpoints.resolve('x')).toBe(url)
    isDone.resolve()
    await handle.result()
  })

  it('of a job that is cancelled are gone with it, and it registers no more', async () => {
    const { stint, open } = await setup()
    const other = await open()
    const isUp = gate<JobEndpoints>()
    const late = gate<unknown>()
    const job = defineJob('patient', {
      run: async ({ endpoints, signal }) => {
        await endpoints.register('x', url)
        isUp.resolve(endpoints)
        await whenAborted(signal)
        late.resolve(await endpoints.register('late', url).catch((error: unknown) => error))
        signal.throwIfAborted()
      },
    })
    await startWorker(stint, { jobs: [job] })
    const handle = await stint.submit(job)
    const endpoints = await isUp.promise
    await other.jobs.cancel(handle)
    expect(await late.promise).toMatchObject({ reason: 'cancelled' })
    await expect(handle.result()).rejects.toMatchObject({ code: 'job_cancelled' })
    expect((await other.endpoints.list()).items).toEqual([])
    // What is left of the attempt can say nothing more.
    await expect(endpoints.remove('x')).rejects.toMatchObject({ code: 'stale_token' })
  })

  it('of a worker that is lost are gone when its jobs are rescued', async () => {
    const { stint, store } = await setup()
    await store.register({ id: 'gone', name: 'gone', leaseMs: 200 })
    await stint.submit('orphan')
    const [orphan] = await store.claim({ workerId: 'gone', token: 'gone', types: ['orphan'], limit: 1 })
    await store.control('endpoint.register', { job: orphan?.job.id ?? '', token: 'gone', name: 'x', url })
    expect(await stint.endpoints.resolve('x')).toBe(url)
    // Another worker finds that its lease is over.
    await startWorker(stint, { jobs: [defineJob('other', { run: () => 1 })], leaseMs: 5_000 })
    await until(
      () => stint.endpoints.resolve('x'),
      (found) => found === null,
    )
  })

  it('stay with an attempt that awaits something', async () => {
    const { stint } = await setup()
    const job = defineJob('later', {
      run: async ({ endpoints, later }) => {
        await endpoints.register('outside', url)
        return later()
      },
    })
    const worker = await startWorker(stint, { jobs: [job] })
    const handle = await stint.submit(job)
    await until(
      () => stint.jobs.get(handle),
      (view) => view?.reason?.includes('awaits') ?? false,
    )
    expect([worker.heldCount, await stint.endpoints.resolve('outside')]).toEqual([0, url])
    await stint.complete(handle, 1)
    expect(await stint.endpoints.resolve('outside')).toBeNull()
  })
})
