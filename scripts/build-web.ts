/** Builds the dashboard into `dist/web`, unless what is there was made of the same sources. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const output = join(root, 'dist/web')
const stamp = join(output, 'made-of.txt')

/** Resolves when the dashboard is there. Says so only when that takes a while. */
export async function buildWeb({ quiet = false }: { readonly quiet?: boolean } = {}): Promise<void> {
  const digest = digestOfSources()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  if (!quiet) console.log('  Building the dashboard, which takes a few seconds …')
  // Whoever calls it, tests for example: what is built is what is published.
  process.env['NODE_ENV'] = 'production'
  await build({ root: join(root, 'web'), configFile: join(root, 'web/vite.config.ts'), logLevel: 'warn' })
  writeFileSync(stamp, digest)
}

/** Of everything that goes into it: its own sources, what it uses of Stint, and the packages. */
function digestOfSources(): string {
  const patterns = ['web/**/*.*', 'src/client/**/*.ts', 'src/core/**/*.ts', 'package-lock.json']
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

if (import.meta.main) await buildWeb()
