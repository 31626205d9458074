import { StintError } from '../../core/errors.ts'
import type { Context } from '../../core/job/commands.ts'
import type { JsonObject } from '../../core/json.ts'
import { checkSubmittable, JobName } from '../../core/names/job-name.ts'
import { attempt, checkObject, checkUuid } from '../check-input.ts'
import type { DefaultsControls, DefaultsRow, JobSettings, ListInput } from '../controls.ts'
import { pathsOver } from '../gates.ts'
import type { StoredRecord } from '../records.ts'
import { checkSettings } from '../settings.ts'
import type { Transaction } from '../transaction.ts'
import { checkPath, createRecord, listRecords, writeStep } from './record-steps.ts'

type DefaultsRecord = StoredRecord<JobSettings>

export const defaultsControls = {
  'defaults.set': async (
    tx: Transaction,
    given: DefaultsControls['defaults.set']['input'],
    context: Context,
  ): Promise<DefaultsRow> => {
    const { id, path: at, settings } = checkObject(given, 'defaults') as DefaultsControls['defaults.set']['input']
    const path = checkPath(at)
    const body = checkSettings(checkObject(settings, 'settings'))
    const events = [{ type: 'defaults.set', data: { settings: body as unknown as JsonObject } }] as const
    const [known] = await tx.records.find('defaults', [path], 'change')
    if (known !== undefined) return rowOf(await writeStep(tx, known as DefaultsRecord, { body, events }, context))
    return rowOf(await createRecord(tx, { kind: 'defaults', id: checkUuid(id, 'id'), path, body, events }, context))
  },
  'defaults.remove': async (tx: Transaction, { path }: { path: string }, context: Context): Promise<boolean> => {
    const [known] = await tx.records.find('defaults', [checkPath(path)], 'change')
    if (known === undefined) return false
    const step = { body: known.body, events: [{ type: 'defaults.removed', data: {} }], released: true } as const
    await writeStep(tx, known, step, context)
    return true
  },
  'defaults.list': async (tx: Transaction, input: ListInput) => {
    const { records, next } = await listRecords(tx, 'defaults', input)
    return { items: records.map((record) => rowOf(record as DefaultsRecord)), next }
  },
}

function rowOf({ path, body, updatedAt }: DefaultsRecord): DefaultsRow {
  return { path, settings: body, updatedAt }
}

/** The settings of the paths over names, the highest path first. */
export async function defaultsOver(
  tx: Transaction,
  names: readonly string[],
): Promise<(name: string) => JobSettings[]> {
  const pathsOf = new Map(names.map((name) => [name, pathsFromTop(name)]))
  const paths = [...new Set([...pathsOf.values()].flat())]
  const records = (await tx.records.find('defaults', paths, 'read')) as readonly DefaultsRecord[]
  const byPath = new Map(records.map(({ path, body }) => [path, body]))
  return (name) => (pathsOf.get(name) ?? []).flatMap((path) => byPath.get(path) ?? [])
}

/** The highest first. A name that is none is refused where the submission is checked. */
function pathsFromTop(name: string): readonly string[] {
  const paths = attempt(() => {
    checkSubmittable(JobName.parse(name))
    return pathsOver(name).toReversed()
  })
  return paths instanceof StintError ? [] : paths
}
