import type { Server } from '../../http/server.ts'
import type { Handlers } from '../handlers/handlers.ts'
import type { Reload } from '../handlers/reloading-worker.ts'
import type { Colors } from '../terminal.ts'
import type { DevOptions, Live } from './dev-options.ts'

interface Shown {
  readonly server: Server
  readonly database: string
  readonly handlers: Handlers
  readonly taken: readonly number[]
  readonly options: DevOptions
  readonly readyMs: number
}

export function bannerText({ server, database, handlers, taken, options, readyMs }: Shown, colors: Colors): string {
  const { bold, dim, cyan, yellow } = colors
  const line = (title: string, text: string) => `  ${dim(title.padEnd(11))}${text}\n`
  const ports =
    taken.length === 0
      ? ''
      : `  ${yellow('!')} Port ${taken.join(', ')} ${taken.length === 1 ? 'is' : 'are'} taken, so it is ${server.port}.\n\n`
  return [
    `\n  ${bold('Stint is ready')} ${dim(`in ${Math.round(readyMs)} ms`)}\n\n`,
    ports,
    line('Dashboard', cyan(`${server.url}/`)),
    line('API', `${cyan(`${server.url}/v1`)} ${dim(`(all calls: ${server.url}/reference)`)}`),
    line('Data', database),
    line('Handlers', handlersText(handlers, options, colors)),
    filesText(handlers, colors),
    `\n  ${dim(nextText(handlers, options))}\n  ${dim('Ctrl-C stops: what runs may finish, and everything is there at the next start.')}\n\n`,
  ].join('')
}

function handlersText({ files, jobs }: Handlers, { demo }: DevOptions, { yellow, dim }: Colors): string {
  if (jobs.length === 0 && demo) return `those of the demo ${dim('(your own go into jobs/*.ts)')}`
  if (jobs.length === 0) return `${yellow('none yet')}: export definitions from jobs/*.ts, or run \`npx stint init\``
  return `${jobs.map(({ type }) => type).join(', ')} ${dim(
    `(${files
      .filter((file) => file.jobs.length > 0)
      .map(({ path }) => path)
      .join(', ')})`,
  )}`
}

/** What is wrong with files. */
function filesText({ files }: Handlers, { red }: Colors): string {
  return files
    .filter(({ error }) => error !== null)
    .map(({ path, error }) => `  ${red('✖')} ${path}: ${error?.replaceAll('\n', '\n    ')}\n`)
    .join('')
}

function nextText({ jobs }: Handlers, { demo }: DevOptions): string {
  const type = jobs[0]?.type ?? (demo ? 'greet' : null)
  return type === null ? 'In another terminal: npx stint list' : `In another terminal: npx stint submit ${type} --wait`
}

export function resumedText({ waiting, running }: Live, { green }: Colors): string {
  const count = waiting + running
  if (count === 0) return ''
  const parts = [...(running > 0 ? [`${running} of them ${running === 1 ? 'was' : 'were'} running`] : [])]
  return `  ${green('↻')} resumed ${count} ${count === 1 ? 'job' : 'jobs'}${parts.length === 0 ? '' : ` (${parts.join()})`}\n`
}

export function reloadText({ changed, handlers, running }: Reload, colors: Colors): string {
  const { cyan, dim } = colors
  const old =
    running === 0
      ? ''
      : dim(` (${running} running ${running === 1 ? 'job finishes' : 'jobs finish'} with the old code)`)
  const types = handlers.jobs.map(({ type }) => type).join(', ') || 'none'
  return `  ${cyan('↻')} ${changed.join(', ')} changed; handlers: ${types}${old}\n${filesText(handlers, colors)}`
}
