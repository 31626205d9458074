import type { KeyView, NewKey } from 'stint/client'
import { type Action, quoted } from './action.ts'

export function createKey(key: NewKey): Action<KeyView & { readonly key: string }> {
  const { label, role, path, expiresAt } = key
  const flags = [
    ` ${quoted(label)} --role ${role}`,
    path ? ` --path ${quoted(path)}` : '',
    expiresAt === undefined ? '' : ` --expires ${expiresAt.toISOString()}`,
  ]
  return {
    label: 'Make the key',
    done: `The key ${label} is made`,
    role: 'admin',
    request: { method: 'POST', path: '/keys', body: key },
    cli: `stint keys create${flags.join('')}`,
    code: `const made = await client.keys.create(${JSON.stringify(key)})`,
    run: (client) => client.keys.create(key),
  }
}

export function revokeKey({ id, label }: Pick<KeyView, 'id' | 'label'>): Action {
  return {
    label: 'Revoke',
    done: `The key ${label} opens nothing any more`,
    role: 'admin',
    request: { method: 'DELETE', path: `/keys/${id}` },
    cli: `stint keys revoke ${id}`,
    code: `await client.keys.revoke('${id}')`,
    run: (client) => client.keys.revoke(id),
  }
}
