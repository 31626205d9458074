import type { Client, JsonObject, TemplateView } from 'stint/client'
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
  const flags = Object.entries(options).map(([name, value]) => ` --${name} ${quoted(String(value))}`)
  const more = Object.keys(options).length === 0 ? '' : `, ${JSON.stringify(options)}`
  return {
    label: 'Run',
    done: `A job of ${path} is submitted`,
    role: 'submit',
    request: { method: 'POST', path: `/templates/${id}/jobs`, body: { ...options, params } },
    cli: `stint submit --template ${quoted(path)} --params ${quoted(JSON.stringify(params))}${flags.join('')}`,
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
  const flags = Object.entries(template).flatMap(([name, value]) => {
    if (name === 'path') return []
    return [` --${name} ${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`]
  })
  return {
    label: 'Make the template',
    done: `${template.path} is there`,
    role: 'admin',
    request: { method: 'POST', path: '/templates', body: template },
    cli: `stint template create ${quoted(template.path)}${flags.join('')}`,
    code: `await client.templates.create(${JSON.stringify(template)})`,
    run: (client) => client.templates.create(template),
  }
}
