import { relative } from 'node:path'
import type { AnyJob } from '../../engine/handler.ts'
import type { Stint } from '../../engine/stint.ts'
import { isLoopback } from '../../http/access/guard.ts'
import type { Server } from '../../http/server.ts'
import { systemNamespace } from '../../store/system-path.ts'
import { databaseOf, openDatabase, shownUrl } from '../database.ts'
import { Failure } from '../exit.ts'
import { patternsOf } from '../handlers/handlers.ts'
import { projectModules } from '../handlers/module-hooks.ts'
import { ReloadingWorker } from '../handlers/reloading-worker.ts'
import type { CommonOptions, Settings } from '../settings.ts'
import type { Terminal } from '../terminal.ts'
import { Activity } from './activity.ts'
import { bannerText, reloadText, resumedText } from './banner.ts'
import { dataDirectory, removeDevFile, runningDev, writeDevFile } from './dev-file.ts'
import type { DevOptions, Live } from './dev-options.ts'
import { drained } from './drain.ts'
import { listen } from './listen.ts'

/** A process that was killed is noticed after so long, and its jobs go on. In development nobody wants to wait for longer. */
const leaseMs = 5_000
/** For as long a handler may ignore that it is to stop. */
const cancelGraceMs = 3_000

/** Everything in one process: the server, a worker whose handlers are loaded from files, and the data in a directory. */
export async function runDev(
  options: DevOptions,
  settings: Settings,
  common: CommonOptions,
  terminal: Terminal,
): Promise<void> {
  const { root } = settings
  const other = runningDev(root)
  if (other !== null && other.pid !== process.pid && (await answers(other.url))) {
    terminal.out.write(`\n  Stint runs here already: ${other.url} (process ${other.pid}).\n\n`)
    return
  }
  const began = performance.now()
  // The server is read from the disk while the database is opened.
  const [stint] = await Promise.all([openDatabase(settings, common, { create: true }), import('../../http/server.ts')])
  const resumed = await countLive(stint)
  const artifacts = artifactsOf(settings)
  const served = { stint, commands: options.commands, host: hostOf(settings), artifacts }
  const { server, taken } = await listen(served, options.port)
  const worker = await workerOf(options, settings, stint, server)
  const handlers = await worker.load()
  writeDevFile(root, { pid: process.pid, url: server.url })
  // For the programs that handlers start.
  process.env['STINT_API_URL'] = server.url
  await worker.start()
  const screen = terminal.out
  const database = shownUrl(databaseOf(settings, common).value)
  const shown = {
    server,
    database: relativeTo(root, database),
    handlers,
    taken,
    options,
    readyMs: performance.now() - began,
  }
  screen.write(bannerText(shown, screen.colors))
  screen.write(resumedText(resumed, screen.colors))
  const activity = new Activity(stint, screen)
  activity.follow()
  if (options.demo) await (await import('../demo/populate.ts')).populate(stint)
  if (options.reload) worker.watch((reload) => screen.write(reloadText(reload, screen.colors)))
  const { flushCompileCache } = await import('node:module')
  flushCompileCache()
  await drained({ worker, graceMs: options.graceMs, terminal }, async () => {
    removeDevFile(root)
    await activity.end()
    await server.close()
    await stint.close()
  })
}

async function workerOf(
  options: DevOptions,
  settings: Settings,
  stint: Stint,
  server: Server,
): Promise<ReloadingWorker> {
  return new ReloadingWorker({
    stint,
    root: settings.root,
    patterns: patternsOf(settings, options.files),
    modules: projectModules(settings.root),
    options: {
      name: 'dev',
      concurrency: options.concurrency,
      leaseMs,
      cancelGraceMs,
      artifactsDirectory: artifactsOf(settings),
    },
    others: await otherJobs(options, server),
  })
}

async function otherJobs({ demo, commands }: DevOptions, server: Server): Promise<readonly AnyJob[]> {
  const { commandJob } = await import('../../http/command-job.ts')
  const command = demo || commands ? [commandJob({ apiUrl: server.url })] : []
  return demo ? [...(await import('../demo/jobs.ts')).demoJobs, ...command] : command
}

/** Where the worker leaves files, and the server finds them, wherever in the project both were started. */
function artifactsOf({ root }: Settings): string {
  return `${dataDirectory(root)}/artifacts`
}

function hostOf(settings: Settings): string {
  const host = settings.get('host', undefined)?.value ?? '127.0.0.1'
  if (isLoopback(host)) return host
  throw new Failure(
    'usage',
    `\`stint dev\` asks nobody for a key, so only this machine may reach it; the host is ${host}.`,
    'For others: stint server.',
  )
}

async function countLive(stint: Stint): Promise<Live> {
  const { items } = await stint.depths()
  let [waiting, running] = [0, 0]
  for (const row of items) {
    if (row.namespace === systemNamespace) continue
    waiting += row.ready + row.delayed + row.gated
    running += row.running
  }
  return { waiting, running }
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
  return response?.ok === true
}

function relativeTo(root: string, url: string): string {
  const file = url.startsWith('sqlite:') ? relative(process.cwd(), url.slice('sqlite:'.length)) : null
  return file === null || file.startsWith('..') ? url : file || root
}
