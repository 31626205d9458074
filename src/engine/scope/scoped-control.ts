import { StintError } from '../../core/errors.ts'
import { checkObject } from '../../store/check-input.ts'
import type { ControlName, Controls } from '../../store/controls.ts'
import { missingRecord } from '../../store/missing.ts'
import type { ControlOptions, Store } from '../../store/store.ts'
import type { Scope } from './scope.ts'

type Run<N extends ControlName> = (
  input: Controls[N]['input'],
  options: ControlOptions | undefined,
) => Promise<Controls[N]['output']>

/** One for each control: whoever adds a control has to say who may do it. */
type Table = { readonly [N in ControlName]: Run<N> }

/** Kinds of records whose place in the tree decides who sees them. */
type PlacedKind = 'template' | 'schedule' | 'group' | 'slot'

const byKind = {
  template: (ref: string) => ['template.get', { template: ref }] as const,
  schedule: (ref: string) => ['schedule.get', { schedule: ref }] as const,
  group: (ref: string) => ['group.get', { group: ref }] as const,
  slot: (ref: string) => ['slot.get', { slot: ref }] as const,
}

/** The error for a record that is elsewhere or nowhere; null for one that is here. */
export async function unknownRecord(
  store: Store,
  scope: Scope,
  kind: PlacedKind,
  ref: string | undefined | null,
): Promise<StintError | null> {
  if (ref === undefined || ref === null || typeof ref !== 'string') return null
  // A path need not be looked up: it says itself where it is.
  if (ref.startsWith('/')) return scope.covers(ref) ? null : missingRecord(kind, ref)
  const [name, input] = byKind[kind](ref)
  const row = await store.control(name, input as never)
  // Also what is nowhere: whatever else is wrong with the request must not be told first of the one and not of the other.
  return row !== null && scope.covers((row as { path: string }).path) ? null : missingRecord(kind, ref)
}

/** The controls of a store, for one branch of the tree. */
export function scopedControl(store: Store, scope: Scope, requireJob: (id: string) => Promise<void>): Store['control'] {
  /** What is made at a path, or looked up by nothing else. */
  const atPath =
    <N extends ControlName>(name: N, ...others: readonly string[]): Run<N> =>
    async (input, options) => {
      scope.require((input as { path?: unknown }).path, 'path')
      for (const field of others)
        scope.require((input as Record<string, { name?: unknown } | null>)[field]?.name, field)
      requireOwnLimits(input)
      return await store.control(name, input, options)
    }

  /** What concerns a record that is there. */
  const ofRecord =
    <N extends ControlName>(kind: PlacedKind, name: N): Run<N> =>
    async (input, options) => {
      const ref = (input as unknown as Record<string, string>)[kind]
      const unknown = await unknownRecord(store, scope, kind, ref)
      if (unknown !== null) throw unknown
      requireOwnLimits(input)
      return await store.control(name, input, options)
    }

  /** What jobs are to have: in it, in its changes or in its settings limits may be named. */
  const requireOwnLimits = (input: object): void => {
    const { limits, changes, settings } = input as Record<string, { limits?: unknown } | undefined>
    for (const each of [limits, changes?.limits, settings?.limits]) scope.requireLimits(each)
  }

  /** The same for who only asks. */
  const get =
    <N extends `${PlacedKind}.get`>(name: N): Run<N> =>
    async (input, options) => {
      const row = await store.control(name, input, options)
      return row !== null && scope.covers((row as { path: string }).path) ? row : (null as Controls[N]['output'])
    }

  const list =
    <N extends 'template.list' | 'schedule.list' | 'group.list' | 'slot.list' | 'defaults.list' | 'retention.list'>(
      name: N,
    ): Run<N> =>
    async (input, options) => {
      const path = scope.narrowed(input.path)
      if (path === null) return { items: [], next: null } as Controls[N]['output']
      return await store.control(name, { ...input, path }, options)
    }

  const ofJob =
    <N extends ControlName>(name: N): Run<N> =>
    async (input, options) => {
      await requireJob((input as { job: string }).job)
      return await store.control(name, input, options)
    }

  /** A webhook stands elsewhere; whose it is follows from the branch that it is told of. */
  const ofWebhook =
    <N extends 'webhook.change' | 'webhook.rotate' | 'webhook.delete'>(name: N): Run<N> =>
    async (input, options) => {
      const row = await store.control('webhook.get', { webhook: input.webhook })
      if (!scope.covers(row?.scope)) throw missingRecord('webhook', input.webhook)
      return await store.control(name, input, options)
    }

  const refused = (what: string) => () => Promise.reject(scope.refuse(what))

  /** A schedule makes jobs of a template, which must be here, too. */
  const ofSchedule =
    <N extends 'schedule.create' | 'schedule.change'>(run: Run<N>): Run<N> =>
    async (input, options) => {
      const { template } = ('changes' in input ? input.changes : input) ?? {}
      const unknown = await unknownRecord(store, scope, 'template', template)
      if (unknown !== null) throw unknown
      return await run(input, options)
    }

  /** Who has an endpoint is told only to who sees them. */
  const endpointTaken = (error: StintError): StintError => {
    const { namespace = null, name = null, job } = error.details
    if (scope.covers(job)) return error
    const message = `The endpoint ${name} of ${namespace} is that of another job, which runs.`
    return new StintError('endpoint_taken', message, { namespace, name })
  }

  const table: Table = {
    'template.create': atPath('template.create'),
    'template.change': ofRecord('template', 'template.change'),
    'template.activate': ofRecord('template', 'template.activate'),
    'template.archive': ofRecord('template', 'template.archive'),
    'template.get': get('template.get'),
    'template.list': list('template.list'),
    'schedule.create': ofSchedule<'schedule.create'>(atPath('schedule.create')),
    'schedule.change': ofSchedule<'schedule.change'>(ofRecord('schedule', 'schedule.change')),
    'schedule.enable': ofRecord('schedule', 'schedule.enable'),
    'schedule.disable': ofRecord('schedule', 'schedule.disable'),
    'schedule.delete': ofRecord('schedule', 'schedule.delete'),
    'schedule.get': get('schedule.get'),
    'schedule.list': list('schedule.list'),
    'schedule.fire': refused('To fire what is due'),
    'schedule.trigger': ofRecord('schedule', 'schedule.trigger'),
    'schedule.backfill': ofRecord('schedule', 'schedule.backfill'),
    'group.create': atPath('group.create', 'finish'),
    'group.seal': ofRecord('group', 'group.seal'),
    'group.cancel': ofRecord('group', 'group.cancel'),
    'group.reorder': ofRecord('group', 'group.reorder'),
    'group.get': get('group.get'),
    'group.list': list('group.list'),
    'group.members': async (input, options) => {
      const { items, next } = await ofRecord('group', 'group.members')(input, options)
      return { items: items.filter(({ name }) => scope.covers(name)), next }
    },
    'defaults.set': atPath('defaults.set'),
    'defaults.remove': atPath('defaults.remove'),
    'defaults.list': list('defaults.list'),
    'retention.set': atPath('retention.set'),
    'retention.remove': atPath('retention.remove'),
    'retention.list': list('retention.list'),
    'retention.get': atPath('retention.get'),
    'retention.prune': refused('To prune'),
    'archive.collect': refused('The archive'),
    'archive.record': refused('The archive'),
    'archive.get': refused('The archive'),
    'archive.list': refused('The archive'),
    'shard.plan': ofJob('shard.plan'),
    'shard.get': ofJob('shard.get'),
    'shard.list': ofJob('shard.list'),
    'shard.tasks': ofJob('shard.tasks'),
    'slot.create': async (input, options) => {
      scope.require(input.path, 'path')
      if (input.parent) await requireJob(input.parent.jobId)
      return await store.control('slot.create', input, options)
    },
    'slot.fill': ofRecord('slot', 'slot.fill'),
    'slot.fail': ofRecord('slot', 'slot.fail'),
    'slot.due': refused('To fill what is due'),
    'slot.get': get('slot.get'),
    'slot.awaited': async (input, options) => {
      const awaited = await store.control('slot.awaited', input, options)
      const found = await store.find(input.jobs.map((id) => ({ id })))
      return awaited.map(({ names, count }, i) => {
        if (!scope.covers(found[i]?.job.name)) return { names: [], count: 0 }
        return { names: names.filter((name) => scope.covers(name)), count }
      })
    },
    'slot.list': list('slot.list'),
    'pipeline.build': refused('To build a pipeline'),
    'endpoint.register': async (input, options) => {
      try {
        return await ofJob('endpoint.register')(input, options)
      } catch (error) {
        throw error instanceof StintError && error.code === 'endpoint_taken' ? endpointTaken(error) : error
      }
    },
    'endpoint.resolve': async (input, options) => {
      const row = await store.control('endpoint.resolve', input, options)
      return scope.covers(row?.job) ? row : null
    },
    'endpoint.list': async (input, options) => {
      if (input.namespace !== scope.path.namespace) return { items: [], next: null }
      const { items, next } = await store.control('endpoint.list', input, options)
      return { items: items.filter(({ job }) => scope.covers(job)), next }
    },
    'endpoint.remove': ofJob('endpoint.remove'),
    'key.create': async (input, options) => {
      if (typeof input.scope !== 'string') throw scope.elsewhere('path', input.scope)
      scope.require(input.scope, 'path')
      return await store.control('key.create', input, options)
    },
    'key.revoke': async (input, options) => {
      const row = await store.control('key.get', input, options)
      if (!scope.covers(row?.scope)) throw missingRecord('key', input.key)
      return await store.control('key.revoke', input, options)
    },
    'key.get': async (input, options) => {
      const row = await store.control('key.get', input, options)
      return scope.covers(row?.scope) ? row : null
    },
    'key.list': async (input, options) => {
      const { items, next } = await store.control('key.list', input, options)
      return { items: items.filter((row) => scope.covers(row.scope)), next }
    },
    'key.inForce': refused('To check keys'),
    'answer.begin': refused('To answer once'),
    'answer.finish': refused('To answer once'),
    'answer.forget': refused('To answer once'),
    'webhook.create': async (input, options) => {
      if (input.scope === null) throw scope.elsewhere('path', null)
      scope.require(input.scope, 'path')
      return await store.control('webhook.create', input, options)
    },
    'webhook.change': ofWebhook('webhook.change'),
    'webhook.rotate': ofWebhook('webhook.rotate'),
    'webhook.delete': ofWebhook('webhook.delete'),
    'webhook.get': async (input, options) => {
      const row = await store.control('webhook.get', input, options)
      return scope.covers(row?.scope) ? row : null
    },
    'webhook.list': async (input, options) => {
      const { items, next } = await store.control('webhook.list', input, options)
      return { items: items.filter((row) => scope.covers(row.scope)), next }
    },
    'webhook.active': refused('To make messages'),
    'webhook.advance': refused('To make messages'),
    'webhook.target': refused('To send messages'),
    'webhook.tell': refused('To send messages'),
  }

  return async (name, input, options) => {
    if (!Object.hasOwn(table, name)) throw scope.refuse(`The control ${name}`)
    checkObject(input, 'input')
    const run: Run<typeof name> = table[name]
    return await run(input, options)
  }
}
