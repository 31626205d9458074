import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { code } from './markdown.ts'

interface Variable {
  readonly by: string
  readonly words: string
}

const commandLine = '`stint`'

/** The environment variables of Stint. Whatever the sources name and this does not, or the other way round, is an error. */
const variables: Readonly<Record<string, Variable>> = {
  STINT_DATABASE_URL: { by: commandLine, words: 'The database: `sqlite:<file>` or `postgres://…`.' },
  STINT_SCHEMA: { by: commandLine, words: 'The PostgreSQL schema that holds the tables. Default `stint`.' },
  STINT_NAMESPACE: { by: commandLine, words: 'The namespace of jobs without a name. Default `default`.' },
  STINT_ARCHIVE_DIRECTORY: { by: commandLine, words: 'Where old entries of the log go. Default nowhere: they stay.' },
  STINT_HOST: { by: commandLine, words: 'Where a server listens. Default `127.0.0.1`, which needs no keys.' },
  STINT_PORT: { by: `${commandLine}, \`npm start\``, words: 'The port of a server. Default 4600.' },
  STINT_API_KEY: { by: commandLine, words: 'The key for the server that commands talk to.' },
  STINT_DEBUG: { by: commandLine, words: 'Set to anything: errors are shown with where they came from.' },
  STINT_TOKEN: { by: commandLine, words: 'Inside a command: the token of its attempt, for jobs that it submits.' },
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
    by: `${commandLine}, set for commands`,
    words: 'The server that commands talk to; set for programs of the type `command`, which may use the API.',
  },
}

export function environmentRows(root: string): readonly (readonly string[])[] {
  const named = namedIn(root)
  const unknown = [...named].filter((name) => !(name in variables))
  const hasCommandLine = existsSync(join(root, 'src/cli'))
  const gone = Object.keys(variables).filter((name) => {
    return !named.has(name) && (hasCommandLine || !variables[name]?.by.startsWith(commandLine))
  })
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
