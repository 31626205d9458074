/** Where systems keep their jobs: servers that the benchmark starts itself, and a fresh place on them for each system. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort, type PostgresServer, startOwnPostgres } from '../../test/support/postgres-server.ts'
import type { StoreKind } from './contestants.ts'

/** A fresh database of any kind. */
export interface Place {
  readonly url: string
  /** Brings statistics up to date where there are some, the same for all systems. */
  analyze(): Promise<void>
  remove(): Promise<void>
}

export interface Versions {
  readonly postgres: string
  readonly redis: string | null
}

export class Places {
  readonly #postgres: PostgresServer
  readonly #redis: Redis | null
  readonly #directory = mkdtempSync(join(tmpdir(), 'stint-bench-'))
  #count = 0

  private constructor(postgres: PostgresServer, redis: Redis | null) {
    this.#postgres = postgres
    this.#redis = redis
    atExit(() => rmSync(this.#directory, { recursive: true, force: true }))
  }

  static async start(): Promise<Places> {
    // With the server's own settings: a commit that was answered survives a power cut.
    const postgres = await startOwnPostgres({ durable: true })
    return new Places(postgres, await startRedis())
  }

  get versions(): Versions {
    return { postgres: this.#postgres.version, redis: this.#redis?.version ?? null }
  }

  has(store: StoreKind): boolean {
    return store !== 'redis' || this.#redis !== null
  }

  async fresh(store: StoreKind): Promise<Place> {
    this.#count += 1
    if (store === 'postgres') return await freshDatabase(this.#postgres.url, `bench_${this.#count}`)
    if (store === 'sqlite') return freshFile(this.#directory, `bench-${this.#count}.db`)
    if (this.#redis === null) throw new Error('There is no Redis.')
    return await freshRedis(this.#redis)
  }

  async stop(): Promise<void> {
    await this.#redis?.stop()
    await this.#postgres.stop()
  }
}

export async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function freshDatabase(serverUrl: string, name: string): Promise<Place> {
  await query(serverUrl, `create database ${name}`)
  // What others have written before must not be flushed to disk during the measurement.
  await query(serverUrl, 'checkpoint')
  const url = new URL(serverUrl)
  url.pathname = name
  return {
    url: url.href,
    analyze: async () => void (await query(url.href, 'vacuum analyze')),
    remove: async () => void (await query(serverUrl, `drop database ${name} with (force)`)),
  }
}

function freshFile(directory: string, name: string): Place {
  const file = join(directory, name)
  return {
    url: `sqlite:${file}`,
    analyze: () => Promise.resolve(),
    remove: () => {
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
      return Promise.resolve()
    },
  }
}

interface Redis {
  readonly port: number
  readonly version: string
  readonly stop: () => Promise<void>
}

async function freshRedis({ port }: Redis): Promise<Place> {
  await ask(port, 'FLUSHALL SYNC')
  return { url: `redis://127.0.0.1:${port}`, analyze: () => Promise.resolve(), remove: () => Promise.resolve() }
}

/** Null when there is no `redis-server` on this machine. */
async function startRedis(): Promise<Redis | null> {
  const found = spawnSync('redis-server', ['--version'], { encoding: 'utf8' })
  if (found.status !== 0) return null
  const directory = mkdtempSync(join(tmpdir(), 'stint-bench-redis-'))
  const port = await freePort()
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec']
  const child = spawn('redis-server', ['--port', String(port), '--dir', directory, ...settings], { stdio: 'ignore' })
  atExit(() => {
    child.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })
  await untilRedisAnswers(port, child)
  return {
    port,
    version: /v=([\d.]+)/.exec(found.stdout)?.[1] ?? 'unknown',
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Also when the run is interrupted. PostgreSQL has a keeper that notices by itself. */
function atExit(clean: () => void): void {
  process.once('exit', clean)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    if (process.listenerCount(signal) === 0) process.once(signal, () => process.exit(1))
  }
}

async function untilRedisAnswers(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if ((await ask(port, 'PING').catch(() => '')) === '+PONG') return
    if (child.exitCode !== null) throw new Error('redis-server ended by itself.')
    await sleep(20)
  }
}

/** One command, by hand: the client library of a peer need not be installed for this. */
async function ask(port: number, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  try {
    socket.write(`${command}\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    return answer.toString().trim()
  } finally {
    socket.destroy()
  }
}
