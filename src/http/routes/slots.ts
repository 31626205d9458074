import { z } from 'zod'
import { type Route, route } from '../route.ts'
import { json, page } from '../schemas/common.ts'
import { newSlot, slot } from '../schemas/slots.ts'
import { defined, found, recordsOf, recordsQuery } from './common.ts'

const tag = 'Slots'

const params = z.strictObject({
  slot: z.string().min(1).max(1_200).meta({ description: 'A SlotId, or its UUID.' }),
})

export const slotRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/slots',
    id: 'createSlot',
    tag,
    summary: 'Makes a slot that somebody has to fill, or with `dueAt` one that fills itself then.',
    role: 'submit',
    body: newSlot,
    status: 201,
    response: slot,
    run: async ({ stint, body: { path, dueAt, ...about } }) => {
      const options = defined(about)
      const made =
        dueAt === undefined ? await stint.slots.create(path, options) : await stint.slots.delay(path, dueAt, options)
      return await stint.slots.get(made)
    },
  }),
  route({
    method: 'get',
    path: '/slots',
    id: 'listSlots',
    tag,
    summary: 'Slots, the newest first; with `all`, also those whose path others have since.',
    role: 'read',
    query: recordsQuery,
    response: page(slot),
    run: ({ stint, query }) => stint.slots.list(recordsOf(stint, query)),
  }),
  route({
    method: 'get',
    path: '/slots/{slot}',
    id: 'getSlot',
    tag,
    summary: 'A slot.',
    role: 'read',
    params,
    response: slot,
    run: async ({ stint, params: { slot: id } }) => found('slot', id, await stint.slots.get(id)),
  }),
  route({
    method: 'post',
    path: '/slots/{slot}/fill',
    id: 'fillSlot',
    tag,
    summary: 'Fills a slot. The same value again is success; another is refused.',
    role: 'submit',
    params,
    body: z.strictObject({ value: json }),
    response: slot,
    run: ({ stint, params: { slot: id }, body, access }) => stint.slots.fill(id, body.value, { by: access.actor }),
  }),
  route({
    method: 'post',
    path: '/slots/{slot}/fail',
    id: 'failSlot',
    tag,
    summary: 'Says that a slot will never have a value: those who wait for it end, or run and are told.',
    role: 'submit',
    params,
    body: z.strictObject({ error: z.string().min(1).max(4_096) }),
    response: slot,
    run: ({ stint, params: { slot: id }, body }) => stint.slots.fail(id, body.error),
  }),
]
