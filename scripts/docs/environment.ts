import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { code } from './markdown.ts'

interface Variable {
  readonly by: string
  readonly words: string
}

/** The environment variables of Stint. Whatever the sources name and this does not, or the other way round, is an error. */
const variables: Readonly<Record<string, Variable>> = {
  STINT_PORT: { by: '`npm start`', words: 'The port of the example server. Default 4600, or the next that is free.' },
  STINT_URL: { by: '`npm start`', words: 'The database of the example server. Default `sqlite:.stint/demo.db`.' },
  STINT_TASK_ID: { by: 'set for commands', words: 'The name of the job that runs the program, or of its task.' },
  STINT_JOB_ID: { by: 'set for commands', words: 'The id of that job.' },
  STINT_RUN_ID: { by: 'set for commands', words: 'The id of the attempt: the same for the same attempt.' },
  STINT_ATTEMPT: { by: 'set for commands', words: 'Which attempt it is, from 1.' },
  STINT_SHARD_COUNT: { by: 'set for commands', words: 'Of a command with `shards`: how many there are.' },
  STINT_ARTIFACTS: {
    by: 'set for commands',
    words: 'A directory; the files that are there at the end are listed on the run.',
  },
  STINT_API_URL: {
    by: 'set for commands',
    words: 'The server, for a program that uses the API. Only for jobs of the type `command`.',
  },
}

export function environmentRows(root: string): readonly (readonly string[])[] {
  const named = namedIn(root)
  const unknown = [...named].filter((name) => !(name in variables))
  const gone = Object.keys(variables).filter((name) => !named.has(name))
  if (unknown.length + gone.length > 0) {
    throw new Error(`scripts/docs/environment.ts does not say what these are: ${unknown}; nobody reads these: ${gone}.`)
  }
  return Object.entries(variables).map(([name, { by, words }]) => [code(name), by, words])
}

function namedIn(root: string): ReadonlySet<string> {
  const files = globSync(['src/**/*.ts', 'examples/demo.ts'], { cwd: root })
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8'))
  return new Set(texts.flatMap((text) => text.match(/\bSTINT_[A-Z_]+\b/g) ?? []))
}
