import { useState } from 'react'
import { Field, TextArea } from '../ui/field.tsx'
import { ActionDialog } from './action-dialog.tsx'
import { failSlot } from './slots.ts'

/** Says that a slot will never have a value, and why. */
export function FailSlotDialog(props: {
  readonly slot: { readonly id: string; readonly path: string }
  readonly onClose: () => void
}) {
  const [why, setWhy] = useState('')
  return (
    <ActionDialog
      title="It will never be filled"
      action={failSlot(props.slot, why)}
      onClose={props.onClose}
      disabled={why.trim() === ''}
      danger
    >
      <p>
        What waits for <code>{props.slot.path}</code> ends, unless it says that it runs all the same.
      </p>
      <Field label="Why" hint="Those who waited are told.">
        {(attributes) => (
          <TextArea {...attributes} data-first rows={3} value={why} onChange={(event) => setWhy(event.target.value)} />
        )}
      </Field>
    </ActionDialog>
  )
}
