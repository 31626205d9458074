import type { CommandRun } from './command-run.ts'

/**
 * All that a program inherits from the worker. Everything else stays behind, because the worker's environment holds
 * secrets, such as the password of the database, that are none of the program's business. Where the server is, is none: with the
 * name of its job a program can submit others there.
 */
const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER', 'STINT_API_URL'] as const

export function environmentOf(run: CommandRun, worker: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const kept = inherited.flatMap((name) => (worker[name] === undefined ? [] : [[name, worker[name]]]))
  return { ...Object.fromEntries(kept), ...run.env, STINT_ARTIFACTS: run.artifactsDirectory }
}
