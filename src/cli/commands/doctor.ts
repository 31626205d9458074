import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Client } from '../../client/client.ts'
import type { Call } from '../call.ts'
import { command } from '../command.ts'
import { databaseOf, fileOf, openDatabase, shownUrl } from '../database.ts'
import { Failure } from '../exit.ts'
import { filesOf, loadHandlers, patternsOf } from '../handlers/handlers.ts'
import { harmless } from '../output/text.ts'
import { agoText, durationText } from '../output/times.ts'
import { schemaStateOf } from './migrate.ts'

type Verdict = 'fine' | 'note' | 'wrong'

/** One thing that was looked at, and what to do if it is not as it should be. */
interface Finding {
  readonly what: string
  readonly verdict: Verdict
  readonly found: string
  readonly advice: string | null
}

export const doctor = command({
  name: 'doctor',
  summary: 'Checks everything that Stint needs, and says how to fix what is wrong.',
  details:
    'It looks at settings and where they come from, handlers, server, key, workers, jobs that no worker knows, database, schema, clock and disk. Exit code 1 if something is wrong.',
  needs: 'server',
  prints: true,
  examples: [
    ['stint doctor', 'What commands would use here.'],
    ['stint doctor --db postgres://localhost/app', 'A database, without a server.'],
  ],
  run: async (call) => {
    const findings: Finding[] = []
    for (const look of [lookAtHost, lookAtHandlers, lookAtServer, lookAtDatabase]) findings.push(...(await look(call)))
    if (call.print.isForPeople)
      for (const finding of findings) call.terminal.out.write(findingText(finding, call.terminal.out.colors))
    else call.print.list(findings, { name: ({ what }) => what, none: '', columns: () => [], sheet: () => '' })
    const wrong = findings.filter(({ verdict }) => verdict === 'wrong').length
    if (call.print.isForPeople)
      call.say(wrong === 0 ? 'Nothing is wrong.' : `${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong.`)
    if (wrong > 0) throw new Failure('failed', '')
  },
})

function findingText(
  { what, verdict, found, advice }: Finding,
  { green, yellow, red, dim }: Call['terminal']['out']['colors'],
): string {
  const sign = { fine: green('✔'), note: yellow('!'), wrong: red('✖') }[verdict]
  return `${sign} ${what.padEnd(9)} ${harmless(found)}\n${advice === null ? '' : `            ${dim(advice)}\n`}`
}

function finding(what: string, verdict: Verdict, found: string, advice: string | null = null): Finding {
  return { what, verdict, found, advice }
}

function lookAtHost({ settings }: Call): Promise<readonly Finding[]> {
  const { configFile, root } = settings
  return Promise.resolve([
    finding('Node', 'fine', process.versions.node),
    finding('Config', 'fine', configFile ?? `none; the project is ${root}`),
  ])
}

async function lookAtHandlers({ settings }: Call): Promise<readonly Finding[]> {
  const { root } = settings
  const files = filesOf(root, patternsOf(settings, []))
  if (files.length === 0)
    return [finding('Handlers', 'note', 'none', 'Export definitions from jobs/*.ts; `stint init` shows how.')]
  const { projectModules } = await import('../handlers/module-hooks.ts')
  const handlers = await loadHandlers(root, files, projectModules(root))
  const wrong = handlers.files.filter(({ error }) => error !== null)
  const types = handlers.jobs.map(({ type }) => type).join(', ')
  return [
    finding('Handlers', handlers.jobs.length === 0 ? 'note' : 'fine', types || 'none in the files that were found'),
    ...wrong.map(({ path, error }) =>
      finding('Handlers', 'wrong', `${path}: ${error}`, 'Until it is right, its jobs wait.'),
    ),
  ]
}

async function lookAtServer(call: Call): Promise<readonly Finding[]> {
  if (call.common.db !== undefined) return []
  const { value: url, from } = call.server()
  const ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) }).catch((error: Error) => error)
  if (ready instanceof Error) {
    const advice = 'Start one with `stint dev` or `stint server`, or say where it is: --url, STINT_API_URL.'
    return [
      finding(
        'Server',
        call.common.url === undefined ? 'note' : 'wrong',
        `${url} does not answer (from ${from})`,
        advice,
      ),
    ]
  }
  const server = finding(
    'Server',
    ready.ok ? 'fine' : 'wrong',
    `${url} ${ready.ok ? 'is ready' : 'is up, but its database is not'} (from ${from})`,
  )
  const client = await call.client()
  try {
    return [server, ...(await lookAtWork(client))]
  } catch (error) {
    return [
      server,
      finding(
        'Key',
        'wrong',
        error instanceof Error ? error.message : String(error),
        'Give one with --api-key or STINT_API_KEY.',
      ),
    ]
  }
}

/** Workers, what is paused, and work that nobody does. */
async function lookAtWork(client: Client): Promise<readonly Finding[]> {
  const [workers, depths, pauses] = await Promise.all([client.workers.list(), client.depths(), client.pauses.list()])
  const alive = workers.items.filter(
    ({ lostAt, types }) => lostAt === null && !types.every((type) => type.startsWith('stint.')),
  )
  const known = new Set(alive.flatMap(({ types }) => types))
  const own = depths.items.filter(({ namespace }) => namespace !== '~stint')
  const orphaned = own.filter(({ type, ready, delayed }) => ready + delayed > 0 && !known.has(type))
  const late = own.filter(
    ({ type, oldestReadyAt }) =>
      known.has(type) && oldestReadyAt !== null && Date.now() - oldestReadyAt.getTime() > 60_000,
  )
  return [
    alive.length === 0
      ? finding('Workers', 'note', 'none that run handlers', 'Jobs wait until one comes: stint worker, or stint dev.')
      : finding('Workers', 'fine', `${alive.length}: ${[...new Set(alive.map(({ name }) => name))].join(', ')}`),
    ...orphaned.map(({ namespace, type, ready, delayed }) =>
      finding(
        'Work',
        'note',
        `${ready + delayed} jobs of the type ${type} in /${namespace}, which no worker knows`,
        'Start a worker that has a handler for it, or cancel them.',
      ),
    ),
    ...late.map(({ type, ready, oldestReadyAt }) =>
      finding(
        'Work',
        'note',
        `${ready} jobs of the type ${type} are ready, the oldest since ${agoText(oldestReadyAt ?? new Date())}`,
        'More workers, or more --concurrency.',
      ),
    ),
    ...pauses.items.map(({ path, type, reason }) =>
      finding(
        'Paused',
        'note',
        `${path ?? `type ${type}`}${reason === null ? '' : `: ${reason}`}`,
        'stint resume lets it go on.',
      ),
    ),
  ]
}

const clockSlackMs = 2_000
const freeMin = 0.05

async function lookAtDatabase(call: Call): Promise<readonly Finding[]> {
  const { settings, common } = call
  const { value: url, from } = databaseOf(settings, common)
  const said = settings.get('db', common.db)
  try {
    const { known, applied } = await schemaStateOf(url, settings, common.schema)
    const at = `${shownUrl(url)} (from ${from})`
    if (applied.length === 0)
      return [
        finding(
          'Database',
          said === null ? 'note' : 'wrong',
          `${at} has no tables yet`,
          'stint migrate makes them; so does the first start.',
        ),
      ]
    const behind = known.length - applied.length
    if (behind !== 0) {
      const advice =
        behind > 0
          ? 'stint migrate brings it up to date; so does the next start.'
          : 'It was migrated by a newer Stint: update this one.'
      return [
        finding(
          'Database',
          behind > 0 ? 'note' : 'wrong',
          `${at} has ${applied.length} of ${known.length} migrations`,
          advice,
        ),
      ]
    }
    return [finding('Database', 'fine', `${at}, ${applied.length} migrations`), ...(await lookInside(call, url))]
  } catch (error) {
    const advice = 'Is it there, and is the address right? --db, STINT_DATABASE_URL.'
    const why = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error)
    return [finding('Database', 'wrong', `${shownUrl(url)}: ${why}`, advice)]
  }
}

async function lookInside({ settings, common }: Call, url: string): Promise<readonly Finding[]> {
  const stint = await openDatabase(settings, common)
  try {
    const apartMs = Math.abs((await stint.store.now()) - Date.now())
    const clock =
      apartMs > clockSlackMs
        ? finding(
            'Clock',
            'note',
            `this machine and the database are ${durationText(apartMs)} apart`,
            'Leases and schedules follow the database; logs of this machine do not.',
          )
        : finding('Clock', 'fine', `${apartMs} ms from that of the database`)
    return [clock, ...diskOf(url)]
  } finally {
    await stint.close()
  }
}

function diskOf(url: string): readonly Finding[] {
  const file = fileOf(url)
  if (file === null) return []
  const { bavail, blocks, bsize } = statfsSync(dirname(file))
  const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB free`
  if (bavail / blocks >= freeMin) return [finding('Disk', 'fine', free)]
  return [finding('Disk', 'wrong', free, 'A database that cannot write stops everything.')]
}
