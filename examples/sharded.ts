/** A sharded job: the words of all files of a directory, many files at once, each in slices that are saved. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createStint, defineShardedJob, type JobContext, TerminalError } from 'stint'

interface Count {
  readonly file: string
  readonly line: number
  readonly words: number
}

const wordsIn = (text: string) => text.split(/\s+/).filter((word) => word !== '').length
const counted = new Set<string>()
let isDiskBroken = true

const countWords = defineShardedJob('count-words', {
  // One task for each file: the state that it begins with.
  plan: async ({ params }: JobContext<{ directory: string }>) => {
    const files = (await readdir(params.directory)).filter((name) => name.endsWith('.ts'))
    return files.sort().map((file): Count => ({ file, line: 0, words: 0 }))
  },
  // Called again until the task is done, on this worker or any other. What it gives back is saved before that.
  slice: async ({ params, state, slice }) => {
    counted.add(state.file)
    if (isDiskBroken && state.file === 'transaction.ts') throw new TerminalError('the disk cannot read this file')
    const lines = (await readFile(join(params.directory, state.file), 'utf8')).split('\n')
    let { line, words } = state
    while (line < lines.length && slice.hasBudget()) {
      words += wordsIn(lines[line] ?? '')
      line += 1
    }
    return { state: { ...state, line, words }, done: line === lines.length, progress: [line, lines.length] }
  },
  // The job's result, made of the last states of all tasks.
  reduce: (tasks) => tasks.reduce((sum, { state }) => sum + state.words, 0),
  sliceItems: 20,
  // Tasks in work at once, over all workers. The others wait, so that they do not stand in the way of other jobs.
  width: 4,
  retry: { maxAttempts: 1 },
})

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [countWords], concurrency: 2 })
await worker.start()

const directory = import.meta.dirname
const job = await stint.submit(countWords, { directory }, { name: '/examples/words' })
await job.result().catch(({ message }) => console.log('failed:', message))

const state = await stint.shards.get(job)
console.log(`${state?.status}: ${state?.failed} failed, the others are done or were stopped`)
const { items: tasks } = await stint.shards.tasks(job)
const broken = tasks.find(({ status }) => status === 'ERROR')
console.log(`${broken?.name}: ${broken?.error}`)

const sliced = tasks.find(({ status, slice }) => status === 'DONE' && slice > 1)
console.log(`a file was counted in slices: ${sliced !== undefined}`)

// The same again, but only with what was not done: files that were counted keep their states.
const done = tasks.filter(({ status }) => status === 'DONE').map((task) => (task.state as { file: string }).file)
counted.clear()
isDiskBroken = false
const again = await stint.jobs.retry(job.id)
const words = await again.result()
console.log('files that were counted again though they were done:', done.filter((file) => counted.has(file)).length)

const texts = await Promise.all(
  (await readdir(directory))
    .filter((name) => name.endsWith('.ts'))
    .map((file) => readFile(join(directory, file), 'utf8')),
)
console.log('every word was counted once:', words === texts.reduce((sum, text) => sum + wordsIn(text), 0))

await stint.close()
