import { type ArgumentSpec, type Command, flagOf, type OptionSpec } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands/commands.ts'
import { type CommandGroup, commandGroups, sections } from '../../src/cli/commands/groups.ts'
import { exitCodes } from '../../src/cli/exit.ts'
import { aboutOf, commonOptions, kebab } from '../../src/cli/program.ts'
import { settingNames } from '../../src/cli/settings.ts'

/** The reference page of the command line, made of what its commands say of themselves. */
export function cliPage(): string {
  const shown = commands.filter(({ hidden }) => hidden !== true)
  const bySection = Map.groupBy(shown, ({ name }) => sectionOf(name))
  return [
    head,
    settingsTable(),
    sharedOptions(),
    '## Exit codes\n',
    table(
      ['Code', 'Meaning'],
      Object.values(exitCodes).map(({ code, means }) => [String(code), means]),
    ),
    ...[...bySection].flatMap(([section, members]) => [`## ${section}\n`, ...members.map(commandPart)]),
  ].join('\n')
}

const head = `# The command line

<!-- Made of the sources by \`npm run docs\`. Edit those, not this page. -->

\`stint <command>\` talks to a server: the one that \`--url\` names, else the \`stint dev\` that is running in the same project, else
\`http://127.0.0.1:4600\`. With \`--db\` the same commands work directly on a database, without a server. \`stint help <command>\` shows
what you find on this page. If Stint is installed in your project and not globally, type \`npx stint\`.

Data goes to stdout and everything else to stderr. \`--output\` (\`-o\`) chooses how data is printed: \`table\` for people, \`json\` (or
\`--json\`), \`jsonl\` with one line per item, or \`name\` with just the names, for other commands. \`NO_COLOR\` is respected, and without
a terminal nothing is animated. Write times as \`2026-11-15T09:00:00Z\` or as durations: \`--since 2h\`, \`--at 10m\`.

Names of jobs begin with a slash. A name without one is below the namespace (\`STINT_NAMESPACE\`, default \`default\`), or, inside a
command job, below the name of that job.
`

function settingsTable(): string {
  const rows = Object.entries(settingNames).map(([name, variable]) => [`\`${variable}\``, `\`${name}\``])
  return `## Settings\n
A flag is stronger than the environment, that is stronger than \`.env\`, and that than \`stint.config.ts\` (or \`.js\`, \`.json\`), whose
default export is a \`StintConfig\`. Beside what is listed it has \`jobs\` (where handlers are) and \`concurrency\`.

${table(['Environment, .env', 'stint.config.ts'], rows)}`
}

function sectionOf(name: string): string {
  const [first = ''] = name.split(' ')
  return commandGroups[first as CommandGroup]?.section ?? sections[first] ?? 'Other'
}

function commandPart(command: Command): string {
  const { name, summary, details, args = {}, options = {}, examples } = command
  const own = Object.entries(options)
  const usage = [
    'stint',
    name,
    ...Object.entries(args).map(([key, spec]) => argumentUsage(key, spec)),
    '[options]',
  ].join(' ')
  return [
    `### stint ${name}\n`,
    `${summary}${details === undefined ? '' : `\n\n${details}`}\n`,
    `\`\`\`\n${usage}\n\`\`\`\n`,
    Object.keys(args).length === 0
      ? ''
      : table(
          ['Argument', ''],
          Object.entries(args).map(([key, { about }]) => [`\`${kebab(key)}\``, prose(about)]),
        ),
    own.length === 0 ? '' : optionTable(command, options),
    alsoText(command),
    `\`\`\`shell\n${examples.map(([typed, does]) => `# ${does}\n${typed}`).join('\n')}\n\`\`\`\n`,
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** Where the options stand that it shares with others. */
function alsoText({ needs, prints }: Command): string {
  const links = [
    ...(prints ? ['[how to print](#how-to-print)'] : []),
    ...(needs === 'server' ? ['[which server](#which-server)'] : []),
    ...(needs === 'database' ? ['[which database](#which-database)'] : []),
  ]
  return links.length === 0 ? '' : `Options for ${links.join(' and ')}.\n`
}

function optionTable(command: Command, options: Readonly<Record<string, OptionSpec>>): string {
  return table(
    ['Option', ''],
    Object.entries(options).map(([key, spec]) => [`\`${optionUsage(key, spec)}\``, prose(aboutOf(command, key, spec))]),
  )
}

/** The options that many commands have, once. */
function sharedOptions(): string {
  const as = (about: Pick<Command, 'needs'> & { readonly prints?: true }) => about as Command
  const shown = (title: string, command: Command) => `### ${title}\n\n${optionTable(command, commonOptions(command))}`
  return [
    '## Options that many commands have\n',
    shown('How to print', as({ needs: 'nothing', prints: true })),
    shown('Which server', as({ needs: 'server' })),
    shown('Which database', as({ needs: 'database' })),
  ].join('\n')
}

function argumentUsage(key: string, { optional, many }: ArgumentSpec): string {
  const name = `${kebab(key)}${many ? '...' : ''}`
  return optional ? `[${name}]` : `<${name}>`
}

function optionUsage(key: string, spec: OptionSpec): string {
  const { short, value } = spec
  return `${short === undefined ? '' : `-${short}, `}${flagOf(key, spec)}${value === undefined ? '' : ` <${value.name}>`}`
}

/** What stands outside of code must not be taken for markup. */
function prose(text: string): string {
  return text
    .split('`')
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll(/[<*]/g, '\\$&')))
    .join('`')
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return `${[line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n')}\n`
}
