import { type Retention, type RetentionPolicy, retentionBelow } from '../../core/retention/policy.ts'
import { pathsOver } from '../gates.ts'
import type { StoredRecord } from '../records.ts'
import type { Transaction } from '../transaction.ts'

export type RetentionRecord = StoredRecord<RetentionPolicy>

/** What holds for names, by the paths over them. */
export async function retentionOver(tx: Transaction, names: readonly string[]): Promise<(name: string) => Retention> {
  const paths = [...new Set(names.flatMap(pathsOver))]
  const records = (await tx.records.find('retention', paths, 'read')) as readonly RetentionRecord[]
  const byPath = new Map(records.map(({ path, body }) => [path, body]))
  return (name) =>
    retentionBelow(
      pathsOver(name)
        .toReversed()
        .flatMap((path) => byPath.get(path) ?? []),
    )
}

const pageSize = 1_000

export async function allPolicies(tx: Transaction): Promise<readonly RetentionPolicy[]> {
  const policies: RetentionPolicy[] = []
  for (let before: number | null = null; ; ) {
    const wanted = { kind: 'retention', path: null, withReleased: false, before, limit: pageSize } as const
    const page = (await tx.records.page(wanted)) as readonly RetentionRecord[]
    policies.push(...page.map(({ body }) => body))
    if (page.length < pageSize) return policies
    before = page.at(-1)?.pk ?? null
  }
}
