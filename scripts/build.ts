/** Builds the published package: JavaScript and types from tsc, the SQL files that the stores read beside them, the dashboard. */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { buildWeb } from './build-web.ts'

const root = join(import.meta.dirname, '..')
const source = join(root, 'src')
const output = join(root, 'dist')

// What an earlier build left behind would be published, though its source may be gone.
rmSync(output, { recursive: true, force: true })

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
const compiled = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
if (compiled.error) throw compiled.error
if (compiled.status !== 0) {
  console.error('The build failed: tsc found the errors above.')
  process.exit(1)
}

const statements = globSync('**/*.sql', { cwd: source })
for (const path of statements) cpSync(join(source, path), join(output, path))

await buildWeb({ quiet: true })

console.log(`Built dist: ${globSync('**/*.d.ts', { cwd: output }).length} modules, ${statements.length} SQL files.`)
