import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import type { JobView } from '../../engine/job-view.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { reference } from '../names.ts'
import type { Shape } from '../output/print.ts'
import { harmlessLine } from '../output/text.ts'
import type { Screen } from '../terminal.ts'
import { count } from '../values.ts'
import { missingJob } from './show.ts'

const lookMs = 250
const pageSize = 1_000

interface Line {
  readonly attempt: number
  readonly seq: number
  readonly at: Date
  readonly line: string
}

const shape: Pick<Shape<Line>, 'name'> = { name: ({ line }) => line }

export const logs = command({
  name: 'logs',
  summary: 'Prints the log output of a job.',
  needs: 'server',
  prints: true,
  args: { job: { about: 'Its name or id.', complete: 'job' } },
  options: {
    follow: { short: 'f', about: 'Keeps printing until the job has ended.' },
    attempt: { value: count(), about: 'Only this attempt. Default the last one.' },
    all: { about: 'All attempts.' },
    tail: { value: count(), about: 'Only this many lines from the end.' },
    timestamps: { short: 't', about: 'Shows the time of each line.' },
  },
  examples: [
    ['stint logs /reports/daily', 'What the last attempt has logged.'],
    ['stint logs /reports/daily --follow', 'And whatever it logs from now on, including retries.'],
  ],
  run: async (call) => {
    const client = await call.client()
    const { follow, attempt, all, tail, timestamps } = call.options
    const named = reference(call, call.args.job)
    const job = await client.jobs.get(named)
    if (job === null) throw missingJob(named)
    if (attempt !== undefined && attempt > job.attempt && !follow) {
      throw new Failure('notFound', `Job ${job.name} has had ${job.attempt} attempts; there is no ${attempt}.`)
    }
    const text = (line: Line, { colors, isTerminal }: Screen) =>
      `${timestamps ? `${colors.dim(line.at.toISOString())} ` : ''}${harmlessLine(line.line, isTerminal)}`
    const write = (line: Line) => call.print.item(line, shape, text)
    const first = attempt ?? (all ? 1 : Math.max(1, job.attempt))
    const last = Math.max(first, attempt ?? job.attempt)
    const lines = await linesFrom(client, job.id, first, last)
    const shown = tail === undefined ? lines : lines.slice(-tail)
    if (follow) shown.forEach(write)
    else call.print.lines(shown, shape, text)
    const seq = lines.findLast((line) => line.attempt === last)?.seq ?? 0
    if (follow)
      await followLines(
        client,
        job.id,
        { attempt: last, seq, only: attempt !== undefined, signal: call.interrupted },
        write,
      )
    else if (lines.length === 0) call.say(call.terminal.err.colors.dim(whyNothing(job, all)))
  },
})

function whyNothing({ attempt, reason, status, outcome }: JobView, all: boolean): string {
  if (attempt === 0 && outcome === null) return `It has not run yet: ${reason ?? status}. --follow waits for it.`
  return attempt > 1 && !all ? `Attempt ${attempt} logged nothing. --all shows all attempts.` : 'It logged nothing.'
}

async function linesFrom(client: Client, job: string, first: number, last: number): Promise<readonly Line[]> {
  const lines: Line[] = []
  for (let attempt = first; attempt <= last; attempt++) {
    for await (const line of pages(client, job, attempt, 0)) lines.push(line)
  }
  return lines
}

async function* pages(client: Client, job: string, attempt: number, afterSeq: number): AsyncGenerator<Line> {
  for (let after = afterSeq; ; ) {
    const { items, cursor } = await client.runs.log({ job, attempt, afterSeq: after, limit: pageSize })
    for (const line of items) yield { attempt, ...line }
    if (cursor === null) return
    after = items.at(-1)?.seq ?? after
  }
}

interface Following {
  /** Where it goes on. */
  readonly attempt: number
  readonly seq: number
  /** Whether later attempts are of no interest. */
  readonly only: boolean
  readonly signal: AbortSignal
}

/** Lines that come after those that were there, until no more can come. */
async function followLines(client: Client, job: string, from: Following, write: (line: Line) => void): Promise<void> {
  let { attempt, seq } = from
  while (!from.signal.aborted) {
    // Asked first: after the end nothing is added, so what is read then is all.
    const now = await client.jobs.get(job)
    for await (const line of pages(client, job, attempt, seq)) {
      seq = line.seq
      write(line)
    }
    const isPast = now !== null && now.attempt > attempt
    if (now === null || (isPast && from.only) || (!isPast && now.state === 'final')) return
    if (isPast) [attempt, seq] = [attempt + 1, 0]
    else await sleep(lookMs, undefined, { signal: from.signal }).catch(() => {})
  }
}
