import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { requireGrant } from '../../core/access/key.ts'
import { dateOf } from '../../engine/job-view.ts'
import { pageOf, requestOf } from '../../engine/record-pages.ts'
import type { KeyRow } from '../../store/controls.ts'
import { hashOf, newKey } from '../access/keyring.ts'
import { type Route, route } from '../route.ts'
import { page, uuid } from '../schemas/common.ts'
import { access, key, madeKey, newKeyBody } from '../schemas/keys.ts'
import { defined, found, recordsQuery } from './common.ts'

const tag = 'Keys'

const params = z.strictObject({ key: uuid })

function shown({ scope, expiresAt, revokedAt, createdAt, ...row }: KeyRow) {
  const times = { createdAt: new Date(createdAt), expiresAt: dateOf(expiresAt), revokedAt: dateOf(revokedAt) }
  return { ...row, path: scope, ...times }
}

export const keyRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/access',
    id: 'getAccess',
    tag,
    summary: 'What whoever asks may do.',
    role: 'read',
    response: access,
    run: ({ access: { actor, role, path } }) => ({ actor, role, path }),
  }),
  route({
    method: 'post',
    path: '/keys',
    id: 'createKey',
    tag,
    summary: 'Makes a key, and shows it this once. Nobody gives away more than they have.',
    role: 'admin',
    body: newKeyBody,
    isSecret: true,
    status: 201,
    response: madeKey,
    run: async ({ stint, access, body: { label, role, path, expiresAt } }) => {
      requireGrant(access.role, role)
      const secret = newKey()
      const row = await stint.store.control('key.create', {
        id: randomUUID(),
        label,
        hash: hashOf(secret),
        scope: path === undefined ? access.path : path === null ? null : stint.resolve(path),
        role,
        expiresAt: expiresAt?.getTime() ?? null,
      })
      return { ...shown(row), key: secret }
    },
  }),
  route({
    method: 'get',
    path: '/keys',
    id: 'listKeys',
    tag,
    summary: 'Keys, the newest first; with `all`, those that were revoked, too.',
    role: 'read',
    query: recordsQuery.omit({ path: true }),
    response: page(key),
    run: async ({ stint, query }) => pageOf(await stint.store.control('key.list', requestOf(defined(query))), shown),
  }),
  route({
    method: 'get',
    path: '/keys/{key}',
    id: 'getKey',
    tag,
    summary: 'What is known of a key.',
    role: 'read',
    params,
    response: key,
    run: async ({ stint, params: { key: id } }) => {
      return shown(found('key', id, await stint.store.control('key.get', { key: id })))
    },
  }),
  route({
    method: 'delete',
    path: '/keys/{key}',
    id: 'revokeKey',
    tag,
    summary: 'Revokes a key. Within two seconds it opens nothing any more.',
    role: 'admin',
    params,
    response: key,
    run: async ({ stint, params: { key: id } }) => shown(await stint.store.control('key.revoke', { key: id })),
  }),
]
