import type { ControlName, Controls } from '../../../src/store/controls.ts'
import type { Store, Submission } from '../../../src/store/store.ts'
import { newId, submission } from '../../support/fixture.ts'
import type { Place } from './world.ts'

/** How somebody who sees one branch may try to reach what lies elsewhere. */
export interface Cases {
  /** Names what lies elsewhere: answered like what is not there. */
  readonly looks?: readonly ((store: Store, at: Place, own: Place) => Promise<unknown>)[]
  /** Tells of many: of nothing that lies elsewhere. */
  readonly lists?: readonly ((store: Store, own: Place) => Promise<unknown>)[]
  /** Would write elsewhere: refused. */
  readonly writes?: readonly ((store: Store, path: string, own: Place) => Promise<unknown>)[]
  /** Concerns everybody: refused. */
  readonly whole?: (store: Store) => Promise<unknown>
  /** Why there is nothing to try. */
  readonly harmless?: string
}

const page = { limit: 1_000 }
const hash = '0'.repeat(64)
const [url, secret] = ['https://x.example', `whsec_${'A'.repeat(32)}`]

async function refusedWith(store: Store, fields: Partial<Submission>): Promise<unknown> {
  const [result] = await store.submit([submission({ name: '/a/b/new', ...fields })])
  if (result?.outcome === 'refused') throw result.error
  return result
}

/** One for each method of the port: whoever adds one has to say here what it may tell. */
export const methodCases: { readonly [M in keyof Required<Store>]: Cases } = {
  kind: { harmless: 'the same for all' },
  now: { harmless: 'the same for all' },
  submit: {
    looks: [
      (store, { job }) => refusedWith(store, { needs: { list: [{ of: job, at: null }] } }),
      (store, { slot }) => refusedWith(store, { needs: { list: [{ of: slot, at: '' }] } }),
      (store, { template }) => refusedWith(store, { template }),
      (store, { templatePath }) => refusedWith(store, { template: templatePath }),
      (store, { group }) => refusedWith(store, { group }),
      (store, { groupPath }) => refusedWith(store, { group: groupPath }),
      (store, { running, token }) => refusedWith(store, { parent: { jobId: running, token } }),
      // Another of the same batch, which is refused, must not vouch for it.
      async (store, { job }) => {
        const [, result] = await store.submit([
          submission({ id: job, name: '/elsewhere/x' }),
          submission({ name: '/a/b/new', needs: { list: [{ of: job, at: null }] } }),
        ])
        return result
      },
    ],
    writes: [
      (store, path) => refusedWith(store, { name: `${path}/x` }),
      (store, path) => {
        return refusedWith(store, { onFailure: { id: newId(), name: `${path}/x`, type: 'x', params: null } })
      },
      (store) => refusedWith(store, { limits: [{ key: 'shared' }] }),
      (store) => refusedWith(store, { limits: [{ key: 'shared', concurrency: 0 }], retryOf: 'x' }),
    ],
  },
  tree: {
    lists: [
      (store) => store.tree({ path: null, after: null, limit: 1_000 }),
      (store) => store.tree({ path: '/a', after: null, limit: 1_000 }),
    ],
  },
  depths: { lists: [(store) => store.depths()] },
  heldBack: { harmless: 'always answered with nothing' },
  logEnd: { harmless: 'a place in the log, which every page of it tells' },
  submitWithin: { harmless: 'the same as submit; see the test of its own' },
  claim: {
    looks: [(store, { worker }) => store.claim({ workerId: worker, token: 't', types: ['own'], limit: 10 })],
    writes: [(store, path) => store.claim({ workerId: 'w', token: 't', types: ['own'], limit: 10, paths: [path] })],
  },
  apply: {
    looks: [
      (store, { job }) => store.apply([{ job, command: { type: 'cancel', reason: 'x' } }]),
      (store, { job }) => store.apply([{ job, command: { type: 'edit', changes: { priority: 7 } } }]),
      (store, { stored, token }) => {
        const ending = { kind: 'completed', resultDigest: null } as const
        return store.apply([{ job: stored, command: { type: 'finish', token, ending } }])
      },
      (store, { job, slot }, own) => {
        const ends = [job, slot].map((output) => {
          return { kind: 'suspended', awaits: null, until: null, output } as const
        })
        return store.apply(
          ends.map((ending) => ({ job: own.running, command: { type: 'finish', token: own.token, ending } })),
        )
      },
    ],
  },
  complete: {
    looks: [async (store, { stored }) => (await store.complete([{ job: stored, result: null }])).done],
  },
  append: {
    looks: [
      (store, { job, namespace }) => store.append([{ namespace, source: 's', id: 'i', type: 'x.y', jobId: job }]),
      (store, { job }) => store.append([{ namespace: 'a', source: 's', id: 'i', type: 'x.y', jobId: job }]),
    ],
    writes: [
      async (store, path) => {
        const namespace = path.split('/')[1] ?? ''
        const [result] = await store.append([{ namespace, source: 's', id: 'i', type: 'x.y' }])
        if (result?.outcome === 'refused') throw result.error
      },
    ],
  },
  find: {
    looks: [
      (store, { job }) => store.find([{ id: job }]),
      (store, { jobName }) => store.find([{ name: jobName }]),
      (store, { namespace, jobKey, stored }) => store.find([{ namespace, type: stored.job.type, key: jobKey }]),
    ],
  },
  past: { looks: [(store, { job, jobName }) => store.past([{ id: job }, { name: jobName }])] },
  runs: { looks: [(store, { running }) => store.runs(running)] },
  events: {
    looks: [
      (store, { job }) => store.events({ jobId: job, ...page }),
      ...(['template', 'schedule', 'group', 'slot', 'key', 'templatePath', 'path'] as const).map((kind) => {
        return (store: Store, at: Place) => store.events({ record: at[kind], ...page })
      }),
    ],
    lists: [async (store) => (await store.events(page)).entries],
  },
  list: {
    looks: [
      (store, { jobName }) => store.list({ branch: jobName, ...page }),
      (store, { jobKey }) => store.list({ key: jobKey, ...page }),
    ],
    lists: [(store) => store.list(page), (store) => store.list({ branch: '/a', ...page })],
  },
  register: {
    writes: [(store, path) => store.register({ id: newId(), name: 'w', leaseMs: 1_000, paths: ['/a/b', path] })],
  },
  renew: { looks: [(store, { worker }) => store.renew({ workerId: worker, leaseMs: 1 })] },
  retire: { looks: [(store, { worker }) => store.retire(worker)] },
  buryLost: { whole: (store) => store.buryLost() },
  workers: { lists: [(store) => store.workers()] },
  held: { looks: [(store, { worker }) => store.held(worker)] },
  orphans: { whole: (store) => store.orphans({ after: null, limit: 10 }) },
  overdue: { whole: (store) => store.overdue({ after: null, limit: 10 }) },
  cancelBranch: { writes: [(store, name) => store.cancelBranch({ name, reason: 'x' })] },
  followUp: { harmless: 'does what decisions have left to do, for all, and tells nothing of it' },
  setLimit: {
    writes: [
      (store, path) => store.setLimit({ key: path, concurrency: 0 }),
      (store) => store.setLimit({ key: 'shared', concurrency: 0 }),
    ],
  },
  removeLimit: { looks: [(store, { path }) => store.removeLimit(path)] },
  limits: { lists: [(store) => store.limits()] },
  pause: { writes: [(store, path) => store.pause({ path }), (store) => store.pause({ type: 'x' })] },
  resume: { looks: [(store, { path }) => store.resume({ path })] },
  pauses: { lists: [(store) => store.pauses()] },
  move: {
    looks: [
      (store, { job }) => store.move({ jobId: job, to: 'front' }),
      (store, { job }, own) => store.move({ jobId: own.job, to: { before: job } }),
      (store, { job }, own) => store.move({ jobId: own.job, to: { after: job } }),
    ],
  },
  queue: { lists: [(store) => store.queue(page)] },
  gates: { looks: [(store, { job }) => store.gates([job])] },
  control: { harmless: 'has a table of its own' },
  report: { looks: [(store, { running, token }) => store.report([{ jobId: running, token, checkpoint: '2' }])] },
  notes: { looks: [(store, { running }) => store.notes(running)] },
  logs: { looks: [(store, { running }) => store.logs({ jobId: running, attempt: 1, limit: 10 })] },
  audit: { whole: (store) => store.audit({ after: null, limit: 10 }) },
  heartbeat: { harmless: 'is not there for who sees one branch' },
  watch: { harmless: 'tells that something has changed, and not what' },
  close: { harmless: 'closes nothing that others use' },
}

type Input<N extends ControlName> = Controls[N]['input']

function looks<N extends ControlName>(
  name: N,
  ...inputs: readonly ((at: Place, own: Place) => Input<N>)[]
): Required<Pick<Cases, 'looks'>> {
  return { looks: inputs.map((input) => (store, at, own) => store.control(name, input(at, own))) }
}

function writes<N extends ControlName>(
  name: N,
  ...inputs: readonly ((path: string, own: Place) => Input<N>)[]
): Required<Pick<Cases, 'writes'>> {
  return { writes: inputs.map((input) => (store, path, own) => store.control(name, input(path, own))) }
}

type Listing = Extract<ControlName, `${string}.list`>

function lists<N extends Exclude<Listing, 'shard.list' | 'archive.list' | 'endpoint.list'>>(name: N): Cases {
  const all = { withReleased: true, limit: 1_000 }
  return {
    lists: [{}, { path: '/a' }].map((more) => (store) => store.control(name, { ...all, ...more } as Input<N>)),
    looks: [(store, { path }) => store.control(name, { ...all, path } as Input<N>)],
  }
}

const whole = <N extends ControlName>(name: N, input: unknown): Cases => {
  return { whole: (store) => store.control(name, input as Input<N>) }
}

const shared = [{ key: 'shared', concurrency: 0 }]
const made = (path: string) => ({ id: newId(), path: `${path}/new` })
const yearly = { cron: '0 0 1 1 *', timezone: 'UTC' }

/** One for each control, in the same way. */
export const controlCases: { readonly [N in ControlName]: Cases } = {
  'template.create': writes(
    'template.create',
    (path) => ({ ...made(path), type: 'x' }),
    (_, own) => ({ ...made(own.path), type: 'x', limits: shared }),
  ),
  'template.change': {
    ...looks('template.change', ({ template }) => ({ template, changes: { label: 'x' } })),
    ...writes('template.change', (_, own) => ({ template: own.template, changes: { limits: shared } })),
  },
  'template.activate': looks('template.activate', ({ template }) => ({ template })),
  'template.archive': looks('template.archive', ({ template }) => ({ template })),
  'template.get': looks(
    'template.get',
    ({ template }) => ({ template }),
    ({ templatePath }) => ({ template: templatePath }),
  ),
  'template.list': lists('template.list'),
  'schedule.create': {
    ...looks(
      'schedule.create',
      ({ template }, own) => ({ ...made(own.path), ...yearly, template }),
      ({ templatePath }, own) => ({ ...made(own.path), ...yearly, template: templatePath }),
    ),
    ...writes(
      'schedule.create',
      (path) => ({ ...made(path), ...yearly, type: 'x' }),
      (_, own) => ({ ...made(own.path), ...yearly, type: 'x', limits: shared }),
    ),
  },
  'schedule.change': {
    ...looks(
      'schedule.change',
      ({ schedule }) => ({ schedule, changes: { label: 'x' } }),
      ({ template }, own) => ({ schedule: own.schedule, changes: { template, type: null } }),
    ),
    ...writes('schedule.change', (_, own) => ({ schedule: own.schedule, changes: { limits: shared } })),
  },
  'schedule.enable': looks('schedule.enable', ({ schedule }) => ({ schedule })),
  'schedule.disable': looks('schedule.disable', ({ schedule }) => ({ schedule })),
  'schedule.delete': looks('schedule.delete', ({ schedulePath }) => ({ schedule: schedulePath })),
  'schedule.get': looks('schedule.get', ({ schedule }) => ({ schedule })),
  'schedule.list': lists('schedule.list'),
  'schedule.fire': whole('schedule.fire', {}),
  'schedule.trigger': looks('schedule.trigger', ({ schedule }) => ({ schedule })),
  'schedule.backfill': looks('schedule.backfill', ({ schedule }) => ({ schedule, from: 0, to: 1, limit: 1 })),
  'group.create': writes(
    'group.create',
    (path) => ({ ...made(path), mode: 'parallel' }),
    (path, own) => {
      const finish = { id: newId(), name: `${path}/x`, type: 'x', params: null }
      return { ...made(own.path), mode: 'parallel', finish }
    },
  ),
  'group.seal': looks('group.seal', ({ group }) => ({ group })),
  'group.cancel': looks('group.cancel', ({ group }) => ({ group, reason: 'x' })),
  'group.reorder': looks(
    'group.reorder',
    ({ group }) => ({ group, jobIds: [] }),
    ({ job }, own) => ({ group: own.group, jobIds: [job] }),
  ),
  'group.get': looks('group.get', ({ group }) => ({ group })),
  'group.list': lists('group.list'),
  'group.members': looks('group.members', ({ group }) => ({ group, limit: 10 })),
  'defaults.set': writes(
    'defaults.set',
    (path) => ({ ...made(path), settings: {} }),
    (_, own) => ({ ...made(own.path), settings: { limits: shared } }),
  ),
  'defaults.remove': writes('defaults.remove', (path) => ({ path })),
  'defaults.list': lists('defaults.list'),
  'retention.set': writes('retention.set', (path) => ({ ...made(path), policy: {} })),
  'retention.remove': writes('retention.remove', (path) => ({ path })),
  'retention.list': lists('retention.list'),
  'retention.get': writes('retention.get', (path) => ({ path })),
  'retention.prune': whole('retention.prune', { limit: 1 }),
  'archive.collect': whole('archive.collect', { limit: 1 }),
  'archive.record': whole('archive.record', {}),
  'archive.get': whole('archive.get', { file: 'x' }),
  'archive.list': whole('archive.list', { limit: 1 }),
  'shard.plan': looks('shard.plan', ({ running, token }) => ({ job: running, token, shards: [] })),
  'shard.get': looks('shard.get', ({ job }) => ({ job })),
  'shard.tasks': looks('shard.tasks', ({ job }) => ({ job, from: 0, limit: 1 })),
  'shard.list': looks('shard.list', ({ job }) => ({ job, adopted: false, from: 0, limit: 1 })),
  'slot.create': {
    ...looks('slot.create', ({ running, token }, own) => {
      return { ...made(own.path), parent: { jobId: running, token } }
    }),
    ...writes('slot.create', (path) => made(path)),
  },
  'slot.fill': looks(
    'slot.fill',
    ({ slot }) => ({ slot, value: '1', by: 'x' }),
    ({ slotPath }) => ({ slot: slotPath, value: '1', by: 'x' }),
  ),
  'slot.fail': looks('slot.fail', ({ slot }) => ({ slot, error: 'x' })),
  'slot.due': whole('slot.due', { skip: 0 }),
  'slot.get': looks('slot.get', ({ slot }) => ({ slot })),
  'slot.awaited': looks('slot.awaited', ({ job }) => ({ jobs: [job], limit: 10 })),
  'slot.list': lists('slot.list'),
  'pipeline.build': whole('pipeline.build', {}),
  'endpoint.register': looks('endpoint.register', ({ running, token }) => {
    return { job: running, token, name: 'x', url: 'http://x' }
  }),
  'endpoint.resolve': looks('endpoint.resolve', ({ namespace, endpoint }) => ({ namespace, name: endpoint })),
  'endpoint.list': {
    ...looks('endpoint.list', ({ endpoint }) => ({ namespace: 'z', after: endpoint, limit: 10 })),
    lists: ['a', 'z'].map((namespace) => (store) => store.control('endpoint.list', { namespace, limit: 100 })),
  },
  'endpoint.remove': looks('endpoint.remove', ({ running, token, endpoint }) => {
    return { job: running, token, name: endpoint }
  }),
  'key.create': writes(
    'key.create',
    (path) => ({ id: newId(), label: 'x', hash, scope: path, role: 'read', expiresAt: null }),
    () => ({ id: newId(), label: 'x', hash, scope: null, role: 'read', expiresAt: null }),
  ),
  'key.revoke': looks('key.revoke', ({ key }) => ({ key })),
  'key.get': looks('key.get', ({ key }) => ({ key })),
  'key.list': lists('key.list'),
  'key.inForce': whole('key.inForce', {}),
  'answer.begin': whole('answer.begin', { id: hash, fingerprint: hash }),
  'answer.finish': whole('answer.finish', { id: hash, fingerprint: hash, status: 200, body: '' }),
  'answer.forget': whole('answer.forget', { id: hash }),
  'webhook.create': writes(
    'webhook.create',
    (path) => ({ id: newId(), url, secret, scope: path }),
    () => ({ id: newId(), url, secret, scope: null }),
  ),
  'webhook.change': looks('webhook.change', ({ webhook }) => ({ webhook, changes: { label: 'x' } })),
  'webhook.rotate': looks('webhook.rotate', ({ webhook }) => ({ webhook, secret, keepMs: 0 })),
  'webhook.delete': looks('webhook.delete', ({ webhook }) => ({ webhook })),
  'webhook.get': looks('webhook.get', ({ webhook }) => ({ webhook })),
  'webhook.list': lists('webhook.list'),
  'webhook.active': whole('webhook.active', {}),
  'webhook.advance': whole('webhook.advance', { webhooks: [], from: '', to: '' }),
  'webhook.target': whole('webhook.target', { webhook: hash }),
  'webhook.tell': whole('webhook.tell', { webhook: hash, fate: 'delivered' }),
}
