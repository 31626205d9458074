import type { Stint } from '../../engine/stint.ts'
import type { TailedEntry } from '../../engine/tail/filter.ts'
import { systemNamespace } from '../../store/system-path.ts'
import { harmless } from '../output/text.ts'
import { agoText, durationText } from '../output/times.ts'
import type { Screen } from '../terminal.ts'

/** More lines than this in a second are counted, not shown. */
const linesPerSecond = 20
/** Lines that come within this time are written together. */
const togetherMs = 30

interface Ended {
  readonly entry: TailedEntry['entry']
  readonly jobId: string
  /** How long the attempt took; null for one that had not begun. */
  readonly tookMs: number | null
}

const endings = new Set(['job.run.completed', 'job.run.failed', 'job.run.skipped', 'job.cancelled', 'job.expired'])

/** Shows the ends of attempts as they come, a line each. */
export class Activity {
  readonly #screen: Screen
  readonly #stint: Stint
  readonly #over = new AbortController()
  readonly #started = new Map<string, number>()
  #waiting: Ended[] = []
  #timer: NodeJS.Timeout | null = null
  #second = 0
  #shown = 0
  #unshown = 0

  constructor(stint: Stint, screen: Screen) {
    this.#stint = stint
    this.#screen = screen
  }

  /** Follows the log from its end on. */
  follow(): void {
    const follower = {
      filter: {},
      over: this.#over.signal,
      take: (tailed: TailedEntry) => this.#take(tailed.entry),
      room: async () => {},
      isFull: false,
      onLive: () => {},
    }
    void this.#stint.tail.follow(follower, undefined, () => {}).catch(() => {})
  }

  /** Writes what has come, and nothing more after it. */
  async end(): Promise<void> {
    this.#over.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#flush()
  }

  #take(entry: TailedEntry['entry']): void {
    const { eventType, jobId, occurredAt } = entry
    if (entry.namespace === systemNamespace || jobId === null) return
    if (eventType === 'job.run.started') this.#started.set(jobId, occurredAt)
    if (!endings.has(eventType)) return
    const began = this.#started.get(jobId)
    this.#started.delete(jobId)
    if (!this.#hasRoom(Math.floor(occurredAt / 1_000))) return
    this.#waiting.push({ entry, jobId, tookMs: began === undefined ? null : occurredAt - began })
    this.#timer ??= setTimeout(() => void this.#flush(), togetherMs)
  }

  #hasRoom(second: number): boolean {
    if (second !== this.#second) this.#shown = 0
    this.#second = second
    this.#shown += 1
    if (this.#shown > linesPerSecond) this.#unshown += 1
    return this.#shown <= linesPerSecond
  }

  async #flush(): Promise<void> {
    this.#timer = null
    const [waiting, unshown] = [this.#waiting, this.#unshown]
    this.#waiting = []
    this.#unshown = 0
    if (waiting.length === 0) return
    const { dim } = this.#screen.colors
    const jobs = await this.#stint.store.find(waiting.map(({ jobId }) => ({ id: jobId }))).catch(() => [])
    const lines = waiting.flatMap((ended, i) => {
      const job = jobs[i]?.job
      // A sharded job has very many tasks: only what goes wrong with them is worth a line.
      const isTask = job?.task != null && ended.entry.eventType === 'job.run.completed'
      return isTask ? [] : [`  ${this.#line(ended, job?.name ?? ended.jobId)}\n`]
    })
    if (unshown > 0) lines.unshift(dim(`           … and ${unshown} more\n`))
    this.#screen.write(lines.join(''))
  }

  #line({ entry: { eventType, occurredAt, attributes }, tookMs }: Ended, name: string): string {
    const { green, red, yellow, dim } = this.#screen.colors
    const took = tookMs === null ? '' : dim(` ${durationText(tookMs)}`)
    const why = dim(harmless(String(attributes['error'] ?? attributes['reason'] ?? '')))
    const at = `${dim(new Date(occurredAt).toLocaleTimeString('sv'))} `
    if (eventType === 'job.run.completed') return `${at}${green('✔')} ${harmless(name)}${took}`
    if (eventType !== 'job.run.failed') return `${at}${yellow('■')} ${harmless(name)} ${why}`
    const { retryAt, attempt } = attributes
    const next = typeof retryAt === 'number' ? ` · ${yellow(`next attempt ${untilText(retryAt)}`)}` : ''
    return `${at}${red('✖')} ${harmless(name)}${took} · attempt ${attempt}: ${why}${next}`
  }
}

function untilText(at: number): string {
  return at < Date.now() + 1_000 ? 'at once' : agoText(new Date(at))
}
