import type { FormEvent } from 'react'
import type { SlotView } from 'stint/client'
import { CopyAs } from '../../actions/copy-as.tsx'
import { SlotValueField, useSlotValue } from '../../actions/slot-value-field.tsx'
import { fillSlot } from '../../actions/slots.ts'
import { useAction } from '../../actions/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/section.tsx'

/** Gives the slot its value, on its own page. */
export function FillForm({ slot }: { readonly slot: SlotView }) {
  const [written, setWritten, value] = useSlotValue()
  const { mutate, isPending } = useAction()
  const action = fillSlot(slot, value ?? null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (value !== undefined) mutate(action)
  }
  return (
    <Section title="Fill it" aside="once: what waits for it goes on with this value">
      <form onSubmit={submit} className="space-y-3 pt-3">
        <SlotValueField value={written} onChange={setWritten} />
        <Button kind="primary" type="submit" disabled={value === undefined || isPending}>
          Fill
        </Button>
        <CopyAs action={action} />
      </form>
    </Section>
  )
}
