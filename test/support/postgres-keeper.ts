/**
 * Runs one PostgreSQL server for as long as its own standard input stays open, then stops it and removes its directory.
 *
 * It is a process of its own, and not a part of the test run, because only another process can clean up after a run that
 * was killed: when the run ends, however it ends, the operating system closes the pipe, and that is the signal to stop.
 * Anything that comes through the pipe before is the order to restart the server as after a crash.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface KeeperOptions {
  /** Everything of this server lives below it: data, socket, log. It is removed at the end. */
  readonly directory: string
  /** Where `initdb` and `postgres` are. */
  readonly bin: string
  readonly port: number
  /** The user and group to run as; PostgreSQL refuses root. */
  readonly owner: { readonly uid: number; readonly gid: number } | null
  /** With the server's own defaults, under which a commit survives a power cut: for measurements. */
  readonly durable: boolean
}

/** How long a fast shutdown may take before the server is killed. */
const stopPatienceMs = 5_000

/** For data that nobody will miss: no write needs to survive a power cut. */
const careless = { max_connections: 400, fsync: 'off', full_page_writes: 'off' }

if (import.meta.main) await keep(JSON.parse(process.argv[2] ?? '') as KeeperOptions)

async function keep(options: KeeperOptions): Promise<never> {
  const data = join(options.directory, 'data')
  let running: ChildProcess | null = null
  let stopping = false
  let restarting = false

  const stop = () => {
    stopping = true
    const child = running
    child?.kill('SIGINT')
    // The timer holds nothing up: the process leaves as soon as the child is gone.
    setTimeout(() => child?.kill('SIGKILL'), stopPatienceMs)
  }
  const restart = () => {
    restarting = true
    // An immediate shutdown: nobody is waited for, nothing is written, and the next start recovers from the log.
    running?.kill('SIGQUIT')
  }
  process.stdin.on('data', restart).on('end', stop).on('error', stop)

  const run = async (program: string, args: readonly string[]) => {
    running = spawn(join(options.bin, program), args, {
      // Whoever runs as another user may be unable to enter the directory in which the tests were started.
      cwd: options.directory,
      env: withoutPostgresSettings(process.env),
      stdio: ['ignore', 'inherit', 'inherit'],
      ...options.owner,
    })
    const [code] = await once(running, 'exit')
    return code as number | null
  }

  const made = await run('initdb', [
    ...['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'],
    ...['--locale=C', '--no-sync', '--no-instructions'],
  ])
  do {
    restarting = false
    if (made === 0 && !stopping) await run('postgres', ['-D', data, ...settings(options)])
  } while (restarting && !stopping)
  if (!stopping) process.exit(1) // The directory stays: whoever started us reads the log in it.

  await rm(options.directory, { recursive: true, force: true, maxRetries: 10 })
  process.exit(0)
}

function settings({ directory, port, durable }: KeeperOptions): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: directory,
    timezone: 'UTC',
    ...(durable ? {} : careless),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** PGDATA, PGPORT and their like would point the programs at somebody's real server. */
function withoutPostgresSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PG')))
}
