import { StintError } from '../../core/errors.ts'
import { checkLimit, checkPart, checkText, refuse } from '../check-input.ts'
import type { EndpointControls, EndpointRow } from '../controls.ts'
import type { LiveEndpoint } from '../endpoints/endpoints.ts'
import type { Transaction } from '../transaction.ts'
import { requireHeld } from './require-held.ts'

type Input<N extends keyof EndpointControls> = EndpointControls[N]['input']

export const endpointControls = {
  'endpoint.register': async (tx: Transaction, input: Input<'endpoint.register'>) => {
    const [name, url] = [checkPart(input.name, 'name'), checkUrl(input.url)]
    const { guard } = await requireHeld(tx, input)
    const { pk: job, namespace } = guard
    const endpoint = { namespace, name, job, token: input.token, url, registeredAt: tx.now }
    const holder = await tx.endpoints.hold(endpoint)
    if (holder !== null && (holder.job !== job || holder.token !== input.token)) throw taken(holder)
    await tx.endpoints.write(endpoint)
    return null
  },
  'endpoint.resolve': async (tx: Transaction, input: Input<'endpoint.resolve'>) => {
    const found = await tx.endpoints.find(checkPart(input.namespace, 'namespace'), checkPart(input.name, 'name'))
    return found === null ? null : rowOf(found)
  },
  'endpoint.list': async (tx: Transaction, input: Input<'endpoint.list'>) => {
    const { namespace, after = null } = input
    const limit = checkLimit(input.limit)
    const page = {
      namespace: checkPart(namespace, 'namespace'),
      after: after === null ? '' : checkPart(after, 'after'),
    }
    const items = (await tx.endpoints.page({ ...page, limit })).map(rowOf)
    return { items, next: items.length < limit ? null : (items.at(-1)?.name ?? null) }
  },
  'endpoint.remove': async (tx: Transaction, input: Input<'endpoint.remove'>) => {
    const name = checkPart(input.name, 'name')
    const { guard } = await requireHeld(tx, input)
    return await tx.endpoints.remove({ namespace: guard.namespace, name, job: guard.pk, token: input.token })
  },
}

function rowOf({ name, url, jobName, registeredAt }: LiveEndpoint): EndpointRow {
  return { name, url, job: jobName, registeredAt }
}

function checkUrl(value: unknown): string {
  const text = checkText(value, 'url', 2_048)
  if (!URL.canParse(text)) throw refuse('url', value, 'must be a URL such as http://10.0.0.7:9000')
  return text
}

function taken({ namespace, name, jobName }: LiveEndpoint): StintError {
  const message = `The endpoint ${name} of ${namespace} is that of ${jobName}, which runs.`
  return new StintError('endpoint_taken', message, { namespace, name, job: jobName })
}
