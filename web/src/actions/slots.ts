import type { Json } from 'stint/client'
import { type Action, literal, quoted } from './action.ts'

export function fillSlot(slot: { readonly id: string; readonly path: string }, value: Json): Action {
  const text = JSON.stringify(value)
  return {
    label: 'Fill',
    done: `${slot.path} is filled`,
    role: 'submit',
    request: { method: 'POST', path: `/slots/${slot.id}/fill`, body: { value } },
    cli: `stint slot fill ${quoted(slot.id)} ${quoted(text)}`,
    code: `await client.slots.fill('${slot.id}', ${text})`,
    run: (client) => client.slots.fill(slot.id, value),
  }
}

export function failSlot(slot: { readonly id: string; readonly path: string }, error: string): Action {
  return {
    label: 'Say that it will never be filled',
    done: `${slot.path} will never be filled`,
    role: 'submit',
    request: { method: 'POST', path: `/slots/${slot.id}/fail`, body: { error } },
    cli: `stint slot fail ${quoted(slot.id)} ${quoted(error)}`,
    code: `await client.slots.fail('${slot.id}', ${literal(error)})`,
    run: (client) => client.slots.fail(slot.id, error),
  }
}
