import { readFileSync } from 'node:fs'
import { cpus, totalmem, type } from 'node:os'
import { join } from 'node:path'
import type { Versions } from '../harness/places.ts'
import { rounded } from './table.ts'

/** What the numbers depend on beside the code. */
export interface Conditions {
  readonly date: string
  readonly machine: string
  readonly software: string
  /** How often everything was measured; medians are shown. */
  readonly rounds: number
  /** What was measured, in words. */
  readonly workload: string
}

export function conditionsOf(versions: Versions, rounds: number, workload: string): Conditions {
  const [cpu] = cpus()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  const { sqlite } = process.versions
  const redis = versions.redis === null ? '' : `, Redis ${versions.redis}`
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${gigabytes} GB, ${type()}`,
    software: `Node ${process.versions.node}, PostgreSQL ${versions.postgres}, SQLite ${sqlite}${redis}; ${peerVersions()}`,
    rounds,
    workload,
  }
}

export function conditionLines({ date, machine, software, rounds, workload }: Conditions): readonly string[] {
  const times = rounds === 1 ? 'one round' : `${rounded(rounds)} rounds, medians`
  return [`- ${date}; ${machine}`, `- ${software}`, `- ${workload}; ${times}`]
}

function peerVersions(): string {
  const bench = join(import.meta.dirname, '..')
  const { dependencies } = JSON.parse(readFileSync(join(bench, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.entries(dependencies)
    .filter(([name]) => !name.startsWith('@types/'))
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')
}
