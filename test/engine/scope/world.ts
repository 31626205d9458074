import type { Store, StoredJob } from '../../../src/store/store.ts'
import { newId, submission, submitOne } from '../../support/fixture.ts'
import { claimOne } from '../../support/requests.ts'

/** Stands in all that a branch must not see. */
export const mark = 'secret'

/** One of everything, at one place of the tree. */
export interface Place {
  /** All of it stands at this path or below. */
  readonly path: string
  readonly namespace: string
  readonly job: string
  readonly jobName: string
  /** A job that runs, and who holds it. */
  readonly running: string
  readonly stored: StoredJob
  readonly token: string
  readonly worker: string
  readonly template: string
  readonly templatePath: string
  readonly schedule: string
  readonly schedulePath: string
  readonly group: string
  readonly groupPath: string
  readonly slot: string
  readonly slotPath: string
  readonly key: string
  readonly endpoint: string
  readonly jobKey: string
}

let places = 0

/** Makes one of everything below a path. */
export async function furnish(store: Store, path: string): Promise<Place> {
  places += 1
  const type = `${mark}-type-${places}`
  const namespace = path.split('/')[1] ?? ''
  const [token, worker, endpoint, jobKey] = [
    `token-${newId()}`,
    newId(),
    `${mark}-end-${places}`,
    `${mark}-key-${places}`,
  ]
  await store.register({ id: worker, name: `${mark}-worker`, leaseMs: 60_000, types: [type], paths: [path] })
  await submitOne(store, { type, name: `${path}/${mark}-running` })
  const stored = await claimOne(store, { types: [type], token, workerId: worker })
  const running = stored.job.id
  await store.control('endpoint.register', { job: running, token, name: endpoint, url: `http://${mark}:1` })
  const line = { seq: 1, at: 0, line: mark }
  await store.report([{ jobId: running, token, progress: { done: 1, total: 2 }, checkpoint: '1', lines: [line] }])
  const waiting = await submitOne(store, { type, name: `${path}/${mark}-job`, key: jobKey, params: `"${mark}"` })
  const at = (name: string) => ({ id: newId(), path: `${path}/${mark}-${name}` })
  const [template, schedule, group, slot] = [at('template'), at('schedule'), at('group'), at('slot')]
  await store.control('template.create', { ...template, type })
  await store.control('schedule.create', { ...schedule, type, cron: '0 0 1 1 *', timezone: 'UTC' })
  await store.control('group.create', { ...group, mode: 'sequential' })
  await store.submit([submission({ type, name: `${path}/${mark}-member`, group: group.id })])
  await store.control('slot.create', slot)
  await store.control('defaults.set', { id: newId(), path: `${path}/${mark}`, settings: { labels: { a: mark } } })
  await store.control('retention.set', { id: newId(), path: `${path}/${mark}`, policy: {} })
  await store.setLimit({ key: `${path}/${mark}`, concurrency: 3 })
  await store.pause({ path: `${path}/${mark}`, reason: mark })
  const key = { id: newId(), label: mark, hash: newId().replaceAll('-', '').padEnd(64, '0') }
  await store.control('key.create', { ...key, scope: path, role: 'read', expiresAt: null })
  await store.append([{ namespace, source: mark, id: newId(), type: `${mark}.happened`, jobId: waiting.job.id }])
  return {
    ...{ path, namespace, job: waiting.job.id, jobName: waiting.job.name, running, stored, token, worker },
    ...{ template: template.id, templatePath: template.path, schedule: schedule.id, schedulePath: schedule.path },
    ...{ group: group.id, groupPath: group.path, slot: slot.id, slotPath: slot.path, key: key.id, endpoint, jobKey },
  }
}

/** Ids in the same form, of which there is nothing. */
export function nowhere(path: string, { stored }: Place): Place {
  const at = (name: string) => `${path}/no-${name}`
  const job = { ...stored.job, id: newId(), name: at('running') }
  return {
    ...{ path: at('path'), namespace: path.split('/')[1] ?? '', job: newId(), jobName: at('job'), running: job.id },
    ...{ stored: { ...stored, job, guard: { ...stored.guard, pk: 999_999_999 } }, token: 'no-token', worker: newId() },
    ...{ template: newId(), templatePath: at('template'), schedule: newId(), schedulePath: at('schedule') },
    ...{ group: newId(), groupPath: at('group'), slot: newId(), slotPath: at('slot'), key: newId() },
    ...{ endpoint: 'no-endpoint', jobKey: 'no-key' },
  }
}

/** What a call gave or refused, with its own ids taken out: what is left must not depend on whether they mean something. */
export async function told(call: Promise<unknown>, place: Place): Promise<string> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error) => ({ error }),
  )
  let text = JSON.stringify(outcome, (_, value: unknown) => (value instanceof Error ? shownError(value) : value))
  const ids = Object.entries(place).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const longestFirst = ids.sort(([, a], [, b]) => b.length - a.length)
  for (const [name, id] of longestFirst.filter(([name]) => name !== 'namespace'))
    text = text.replaceAll(id, `<${name}>`)
  return text
}

function shownError({ message, ...rest }: Error): object {
  return { message, ...rest }
}

/** Everything that lies elsewhere, as it stands. */
export async function stateOf(store: Store, place: Place): Promise<unknown> {
  const { path } = place
  const all = { path, limit: 100, withReleased: true }
  const workers = (await store.workers()).find(({ id }) => id === place.worker)
  return {
    jobs: (await store.list({ branch: path, limit: 100 })).jobs,
    notes: await store.notes(place.running),
    held: await store.held(place.worker),
    worker: { ...workers, leaseUntil: null, seenAt: null },
    limits: (await store.limits()).filter(({ key }) => key.includes(mark)),
    pauses: (await store.pauses()).filter((pause) => pause.path?.includes(mark)),
    records: [
      await store.control('template.list', all),
      await store.control('schedule.list', all),
      await store.control('group.list', all),
      await store.control('slot.list', all),
      await store.control('defaults.list', all),
      await store.control('retention.list', all),
      await store.control('key.get', { key: place.key }),
      await store.control('endpoint.list', { namespace: place.namespace, limit: 100 }),
    ],
  }
}
