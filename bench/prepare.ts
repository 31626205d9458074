/** Installs the peers if they are not there, and builds the package: what is measured is what is published. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const bench = import.meta.dirname
const root = join(bench, '..')

if (!isInstalled()) run('npm', ['ci', '--prefix', bench])
run(process.execPath, [join(root, 'scripts/build.ts')])

/** npm leaves a copy of the lockfile beside what it installed: without versions that are not the same, nothing to do. */
function isInstalled(): boolean {
  try {
    const installed = versions(join(bench, 'node_modules/.package-lock.json'))
    return Object.entries(versions(join(bench, 'package-lock.json'))).every(([path, { version, optional }]) => {
      return path === '' || optional === true || installed[path]?.version === version
    })
  } catch {
    return false
  }
}

function versions(file: string): Record<string, { version?: string; optional?: boolean }> {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

function run(program: string, args: readonly string[]): void {
  // Standard output is kept for the results.
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}
