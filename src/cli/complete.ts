import type { Client } from '../client/client.ts'
import { type Command, type Completion, flagOf, type OptionSpec } from './command.ts'
import { commonOptions } from './program.ts'

/** What may stand where the cursor is: `words` are those that were typed, the last one not to its end. */
export async function completionsOf(
  words: readonly string[],
  commands: readonly Command[],
  client: () => Promise<Client>,
): Promise<readonly string[]> {
  const typed = words.slice(0, -1)
  const last = words.at(-1) ?? ''
  const command = commandOf(typed, commands)
  if (command === null) return startingWith(last, nextWords(typed, commands))
  const rest = typed.slice(command.name.split(' ').length)
  const options = { ...command.options, ...commonOptions(command) }
  const open = optionOf(rest.at(-1), options)
  if (open?.value !== undefined)
    return startingWith(last, open.value.choices ?? (await found(open.complete, last, client)))
  if (last.startsWith('-'))
    return startingWith(
      last,
      Object.entries(options).map(([key, spec]) => flagOf(key, spec)),
    )
  return startingWith(last, await found(argumentAt(command, rest, options), last, client))
}

function commandOf(typed: readonly string[], commands: readonly Command[]): Command | null {
  const [one, two] = [typed[0], typed.slice(0, 2).join(' ')]
  return commands.find(({ name }) => name === two) ?? commands.find(({ name }) => name === one) ?? null
}

function nextWords(typed: readonly string[], commands: readonly Command[]): readonly string[] {
  const shown = commands.filter(({ hidden }) => hidden !== true).map(({ name }) => name.split(' '))
  const next = shown
    .filter((name) => typed.every((word, i) => name[i] === word))
    .flatMap((name) => name[typed.length] ?? [])
  return [...new Set(next)]
}

/** The option that a word is, if it is one. */
function optionOf(word: string | undefined, options: Readonly<Record<string, OptionSpec>>): OptionSpec | null {
  if (word === undefined || !word.startsWith('-')) return null
  const found = Object.entries(options).find(([key, spec]) => flagOf(key, spec) === word || `-${spec.short}` === word)
  return found?.[1] ?? null
}

/** What the argument at the cursor is. Words that are options or their values are none. */
function argumentAt(
  { args = {} }: Command,
  rest: readonly string[],
  options: Readonly<Record<string, OptionSpec>>,
): Completion | undefined {
  const given = rest.filter((word, i) => !word.startsWith('-') && optionOf(rest[i - 1], options)?.value === undefined)
  const specs = Object.values(args)
  return (specs[given.length] ?? specs.findLast(({ many }) => many))?.complete
}

function startingWith(start: string, words: readonly string[]): readonly string[] {
  return words.filter((word) => word.startsWith(start)).sort()
}

const most = 50

/** What the server knows. One that does not answer knows nothing. */
async function found(
  what: Completion | undefined,
  start: string,
  client: () => Promise<Client>,
): Promise<readonly string[]> {
  if (what === undefined || what === 'file') return []
  try {
    return await read(await client(), what, start)
  } catch {
    return []
  }
}

async function read(client: Client, what: Exclude<Completion, 'file'>, start: string): Promise<readonly string[]> {
  if (what === 'type') {
    const { items } = await client.workers.list()
    return [...new Set(items.flatMap(({ types }) => types))].filter((type) => !type.startsWith('stint.'))
  }
  if (what === 'job') return await names(client, start)
  const api = { schedule: client.schedules, template: client.templates, group: client.groups, slot: client.slots }[what]
  return (await api.list({ limit: most })).items.map(({ path }) => path)
}

/** Names are completed like paths of files: one level at a time. */
async function names(client: Client, start: string): Promise<readonly string[]> {
  const above = start.slice(0, start.lastIndexOf('/'))
  const { items } = await client.tree({ limit: most, ...(above === '' ? {} : { path: above }) })
  return items.flatMap(({ path, job, branch }) => [...(job ? [path] : []), ...(branch ? [`${path}/`] : [])])
}
