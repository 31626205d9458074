/** Endpoints: a job that serves others says where it is; they find it by name for as long as it runs. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createStint, defineJob, type JobContext } from 'stint'

// Serves until it is cancelled. What it has registered ends with its attempt, however that ends.
const dictionary = defineJob('dictionary', {
  run: async (ctx) => {
    const server = createServer((request, response) => response.end(request.url?.slice(1).toUpperCase()))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await ctx.endpoints.register('dictionary', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
    server.close()
    ctx.signal.throwIfAborted()
  },
})

// On whatever worker it runs, all that it needs to know is the name.
const translate = defineJob('translate', {
  run: async (ctx: JobContext<{ word: string }>) => {
    const url = await ctx.endpoints.resolve('dictionary')
    if (url === null) return 'no dictionary here'
    return await (await fetch(`${url}/${ctx.params.word}`)).text()
  },
})

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [dictionary, translate], concurrency: 4 })
await worker.start()

const server = await stint.submit(dictionary, undefined, { name: '/books/dictionary' })
while ((await stint.endpoints.resolve('dictionary', { namespace: 'books' })) === null) await sleep(5)
const { items } = await stint.endpoints.list({ namespace: 'books' })
console.log(items.map(({ name, job }) => `${name} is ${job}`).join())

const ask = async (name: string) => (await stint.submit(translate, { word: 'hello' }, { name })).result()
console.log('in its namespace:', await ask('/books/translate'))
console.log('in another one:', await ask('/films/translate'))

await stint.jobs.cancel(server)
await server.result().catch(({ code }) => console.log('the dictionary:', code))
console.log('after its end:', await ask('/books/again'))
await stint.close()
