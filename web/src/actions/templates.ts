import type { Client, Json, JsonObject, TemplateView } from 'stint/client'
import { type Action, literal, quoted } from './action.ts'

type Named = Pick<TemplateView, 'id' | 'path'>
type NewTemplate = Parameters<Client['templates']['create']>[0]

export interface TemplateRun {
  readonly params: JsonObject
  readonly name?: string
  readonly priority?: number
}

export function runTemplate(
  { id, path }: Named,
  { params, ...options }: TemplateRun,
): Action<Awaited<ReturnType<Client['templates']['submit']>>> {
  const flags = [
    ...Object.entries(params).map(([name, value]) => ` -p ${quoted(`${name}=${written(value)}`)}`),
    ...Object.entries(options).map(([name, value]) => ` --${name} ${quoted(String(value))}`),
  ]
  const more = Object.keys(options).length === 0 ? '' : `, ${JSON.stringify(options)}`
  return {
    label: 'Run',
    done: `A job of ${path} is submitted`,
    role: 'submit',
    request: { method: 'POST', path: `/templates/${id}/jobs`, body: { ...options, params } },
    cli: `stint submit --template ${quoted(path)}${flags.join('')}`,
    code: `await client.templates.submit(${literal(path)}, ${JSON.stringify(params)}${more})`,
    run: (client) => client.templates.submit(id, params, options),
  }
}

export function activateTemplate({ id, path }: Named): Action {
  return {
    label: 'Activate',
    done: `${path} is active`,
    role: 'admin',
    request: { method: 'POST', path: `/templates/${id}/activate` },
    cli: `stint template activate ${quoted(path)}`,
    code: `await client.templates.activate(${literal(path)})`,
    run: (client) => client.templates.activate(id),
  }
}

export function archiveTemplate({ id, path }: Named): Action {
  return {
    label: 'Archive',
    done: `No more jobs are made of ${path}`,
    role: 'admin',
    request: { method: 'POST', path: `/templates/${id}/archive` },
    cli: `stint template archive ${quoted(path)}`,
    code: `await client.templates.archive(${literal(path)})`,
    run: (client) => client.templates.archive(id),
  }
}

export function createTemplate(template: NewTemplate): Action<TemplateView> {
  const { path, type, label, params, schema } = template
  const flags = [
    label == null ? '' : ` --label ${quoted(label)}`,
    params === undefined ? '' : ` --params ${quoted(JSON.stringify(params))}`,
    schema == null ? '' : ` --params-schema ${quoted(JSON.stringify(schema))}`,
  ]
  return {
    label: 'Make the template',
    done: `${path} is there`,
    role: 'admin',
    request: { method: 'POST', path: '/templates', body: template },
    cli: `stint template create ${quoted(path)} ${quoted(type ?? '')}${flags.join('')}`,
    code: `await client.templates.create(${JSON.stringify(template)})`,
    run: (client) => client.templates.create(template),
  }
}

/** As `-p` reads it: JSON, or else text. Text that is JSON needs its quotes. */
function written(value: Json): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  try {
    JSON.parse(value)
    return JSON.stringify(value)
  } catch {
    return value
  }
}
