import { useState } from 'react'
import type { Json } from 'stint/client'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'
import { Field, TextArea } from '../ui/field.tsx'
import { CopyAs } from './copy-as.tsx'
import { fillSlot } from './slots.ts'
import { useAction } from './use-action.ts'

/** Gives a slot its value. It is written once. */
export function FillSlotDialog(props: {
  readonly slot: { readonly id: string; readonly path: string; readonly label: string | null }
  readonly onClose: () => void
}) {
  const { slot, onClose } = props
  const [text, setText] = useState('true')
  const { mutate, isPending } = useAction(onClose)
  const value = parsed(text)
  const action = fillSlot(slot, value ?? null)
  return (
    <Dialog title={slot.label ?? `Fill ${slot.path}`} onClose={onClose}>
      <DialogBody>
        <p>
          <code>{slot.path}</code> is filled once: what waits for it goes on with this value.
        </p>
        <Field
          label="Value, as JSON"
          error={value === undefined ? 'This is no JSON. A text has quotes around it.' : null}
        >
          {(attributes) => (
            <TextArea
              {...attributes}
              data-first
              rows={4}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <CopyAs action={action} />
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>Leave it</Button>
        <Button kind="primary" disabled={value === undefined || isPending} onClick={() => mutate(action)}>
          Fill
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
