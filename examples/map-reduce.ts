/** Map and reduce with child jobs: one for each part, and one that gets all their results. No worker waits for them. */
import { createStint, defineJob, type JobContext } from 'stint'

type Counts = Readonly<Record<string, number>>

const countWords = defineJob('count', {
  run: ({ params }: JobContext<{ text: string }>) => {
    const counts: Record<string, number> = {}
    for (const word of params.text.toLowerCase().match(/\w+/g) ?? []) counts[word] = (counts[word] ?? 0) + 1
    return counts
  },
})
const merge = defineJob('merge', {
  run: ({ params }: JobContext<{ parts: readonly Counts[] }>) => {
    const all: Record<string, number> = {}
    for (const [word, count] of params.parts.flatMap(Object.entries)) all[word] = (all[word] ?? 0) + count
    return all
  },
})

const words = defineJob('words', {
  run: async (ctx: JobContext<{ lines: readonly string[] }>) => {
    const mapped = await Promise.all(
      ctx.params.lines.map((text, n) => ctx.submit(countWords, { text }, { name: `count-${n}` })),
    )
    // The reducing job waits for the last of its parts. Its result will be ours: returning it frees this worker.
    const reduced = await ctx.submit(merge, { parts: mapped.map(({ output }) => output) }, { name: 'merge' })
    ctx.log(`${mapped.length} parts, then ${reduced.name}`)
    return reduced.output
  },
})

const stint = await createStint({ url: 'sqlite::memory:' })
// One job at a time: if the parent held its worker while it waits, nothing would ever run.
const worker = stint.worker({ jobs: [words, countWords, merge], concurrency: 1 })
await worker.start()

const lines = ['The sea, the sea', 'The sea sees all', 'all at sea']
const job = await stint.submit(words, { lines }, { name: '/books/words' })
const counts: Counts = await job.result()
console.log(Object.entries(counts).sort().join(' '))

const { jobs, edges } = await stint.graph(job)
console.log(jobs.map(({ name, outcome }) => `${name} ${outcome}`).join('\n'))
const nameOf = new Map(jobs.map(({ id, name }) => [id, name]))
for (const { from, to, at } of edges) console.log(`${nameOf.get(from)} → ${nameOf.get(to)} (${at})`)

const { items: runs } = await stint.runs.list({ job })
console.log(`runs of the parent: ${runs.length}`)
await stint.close()
