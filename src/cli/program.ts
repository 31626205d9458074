import { Argument, Command as Commander, CommanderError, InvalidArgumentError, Option } from 'commander'
import { type ArgumentSpec, type Command, flagOf, type OptionSpec } from './command.ts'
import { type CommandGroup, commandGroups, sections } from './commands/groups.ts'
import { Failure } from './exit.ts'
import { type Format, formats } from './output/print.ts'
import type { CommonOptions } from './settings.ts'
import type { Terminal } from './terminal.ts'
import { choice, type Reader, text } from './values.ts'

/** What was typed, read by the declaration of its command. */
export interface Typed {
  readonly command: Command
  readonly args: Readonly<Record<string, unknown>>
  readonly options: Readonly<Record<string, unknown>>
  readonly common: CommonOptions
  readonly format: Format
}

/** The options that come with what a command works on and what it prints. */
export function commonOptions({ needs, prints }: Command): Readonly<Record<string, OptionSpec>> {
  return {
    ...(prints ? outputOptions : {}),
    ...(needs === 'server' ? { ...serverOptions, ...databaseOptions } : {}),
    ...(needs === 'database' ? databaseOptions : {}),
  }
}

const outputOptions = {
  output: {
    short: 'o',
    value: choice(...formats),
    about: 'How to print: a table, JSON, one line of JSON each, or only names. Default table.',
  },
  json: { about: 'The same as --output json.' },
} as const satisfies Record<string, OptionSpec>

const serverOptions = {
  url: {
    value: text('url'),
    about: 'The server. Default STINT_API_URL, .env, stint.config, `stint dev` here, http://127.0.0.1:4600.',
  },
  apiKey: { value: text('key'), about: 'A key for it. Default STINT_API_KEY, .env, stint.config.' },
} as const satisfies Record<string, OptionSpec>

const databaseOptions = {
  db: {
    value: text('url'),
    about:
      'The database itself: sqlite:<file> or postgres://… Default STINT_DATABASE_URL, .env, stint.config, that of `stint dev` here.',
  },
  schema: { value: text('name'), about: 'The PostgreSQL schema that holds its tables. Default stint.' },
} as const satisfies Record<string, OptionSpec>

/** With a server, `--db` is taken only when it is given. */
const insteadOfServer = 'A database in place of a server: sqlite:<file> or postgres://…'

export function aboutOf(command: Command, key: string, { about }: OptionSpec): string {
  return command.needs === 'server' && key === 'db' ? insteadOfServer : about
}

/** Makes the program of all commands. `onTyped` gets what was typed, if it was understood. */
export function programOf(
  commands: readonly Command[],
  { terminal, version, onTyped }: { terminal: Terminal; version: string; onTyped: (typed: Typed) => void },
): Commander {
  const program = new Commander('stint')
    .description('Durable jobs: name a piece of work, say when it runs, and it runs.')
    .version(version, '-V, --version', 'Prints the version.')
    .helpOption('-h, --help', 'Shows help.')
    .helpCommand('help [command]', 'Shows help for a command.')
    .showSuggestionAfterError(true)
  dress(program, terminal)
  program.addHelpText(
    'after',
    '\nStart with:\n  stint init    A small project that runs.\n  stint dev     Everything in one process; nothing else is needed.\n',
  )
  const groups = new Map<string, Commander>()
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ')
    const group = second === undefined ? program : groupOf(program, groups, first, terminal)
    const section = commandGroups[first as CommandGroup]?.section ?? sections[first]
    const made = commanderOf(command, second ?? first, onTyped)
    if (second === undefined && section !== undefined) made.helpGroup(`${section}:`)
    group.addCommand(dress(made, terminal), { hidden: command.hidden === true })
  }
  return program
}

function groupOf(program: Commander, groups: Map<string, Commander>, name: string, terminal: Terminal): Commander {
  const known = groups.get(name)
  if (known !== undefined) return known
  const about = commandGroups[name as CommandGroup]
  const made = dress(new Commander(name), terminal)
    .description(about.summary)
    .helpGroup(`${about.section}:`)
    .helpOption('-h, --help', 'Shows help.')
    .helpCommand(false)
  program.addCommand(made)
  groups.set(name, made)
  return made
}

/** Everything it says goes where ours does; it throws where it would exit. */
function dress(made: Commander, { out, err }: Terminal): Commander {
  return made
    .exitOverride()
    .showHelpAfterError(
      `Try: ${['stint', made.name()].filter((word, i) => i === 0 || word !== 'stint').join(' ')} --help`,
    )
    .configureOutput({
      writeOut: (words) => out.write(words),
      writeErr: (words) => err.write(words),
      getOutHelpWidth: () => Math.min(out.columns, 120),
      getErrHelpWidth: () => Math.min(err.columns, 120),
      outputError: (words, write) => write(words.replace(/^error: /, `${err.colors.red('✖')} `)),
    })
}

function commanderOf(command: Command, name: string, onTyped: (typed: Typed) => void): Commander {
  const { args = {}, options = {}, summary, details, examples } = command
  const made = new Commander(name)
    .summary(summary)
    .description(details === undefined ? summary : `${summary}\n\n${details}`)
  made.helpOption('-h, --help', 'Shows help.')
  for (const [key, spec] of Object.entries(args)) made.addArgument(argumentOf(key, spec))
  const common = commonOptions(command)
  for (const [key, spec] of Object.entries({ ...options, ...common })) {
    made.addOption(optionOf(key, { ...spec, about: aboutOf(command, key, spec) }))
  }
  const shown = examples.map(([typed, does]) => `  ${typed}\n      ${does}\n`).join('')
  made.addHelpText('after', `\nExamples:\n${shown}`)
  made.action((...given: unknown[]) => {
    const typed = given[Object.keys(args).length] as Readonly<Record<string, unknown>>
    onTyped({
      command,
      args: Object.fromEntries(
        Object.entries(args).map(([key, { many }], i) => [key, given[i] ?? (many ? [] : undefined)]),
      ),
      options: valuesOf(options, typed),
      common: commonOf(typed),
      format: typed['json'] === true ? 'json' : ((typed['output'] as Format | undefined) ?? 'table'),
    })
  })
  return made
}

function commonOf({ url, apiKey, db, schema }: Readonly<Record<string, unknown>>): CommonOptions {
  const said = Object.entries({ url, key: apiKey, db, schema }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(said)
}

function valuesOf(specs: Readonly<Record<string, OptionSpec>>, typed: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(specs).map(([key, { value, many, negated }]) => {
      const given = typed[key]
      if (value !== undefined) return [key, given ?? (many ? [] : undefined)]
      return [key, negated ? given !== false : given === true]
    }),
  )
}

function argumentOf(key: string, { about, optional, many, value }: ArgumentSpec): Argument {
  const name = `${kebab(key)}${many ? '...' : ''}`
  const made = new Argument(optional ? `[${name}]` : `<${name}>`, about)
  return value === undefined ? made : made.argParser(parserOf(value, many))
}

function optionOf(key: string, spec: OptionSpec): Option {
  const { short, value, about, many } = spec
  const flags = [...(short === undefined ? [] : [`-${short}`]), flagOf(key, spec)].join(', ')
  if (value === undefined) return new Option(flags, about)
  return new Option(`${flags} <${value.name}>`, about).argParser(parserOf(value, many))
}

function parserOf(reader: Reader<unknown>, many: true | undefined) {
  return (typed: string, before: unknown): unknown => {
    const value = readOrRefuse(reader, typed)
    return many ? [...((before as unknown[] | undefined) ?? []), value] : value
  }
}

function readOrRefuse(reader: Reader<unknown>, typed: string): unknown {
  try {
    return reader.read(typed)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new InvalidArgumentError(`It ${error.message}.${error.hint === null ? '' : `\n  ${error.hint}`}`)
  }
}

export function kebab(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Whether what was thrown only means that help or the version was shown. */
export function isShown(error: unknown): boolean {
  return error instanceof CommanderError && error.exitCode === 0
}

export function isUsage(error: unknown): boolean {
  return error instanceof CommanderError
}
