import { ActionDialog } from './action-dialog.tsx'
import { SlotValueField, useSlotValue } from './slot-value-field.tsx'
import { fillSlot } from './slots.ts'

/** Gives a slot its value. It is written once. */
export function FillSlotDialog(props: {
  readonly slot: { readonly id: string; readonly path: string; readonly label: string | null }
  readonly onClose: () => void
}) {
  const { slot, onClose } = props
  const [written, setWritten, value] = useSlotValue()
  return (
    <ActionDialog
      title={slot.label ?? `Fill ${slot.path}`}
      action={fillSlot(slot, value ?? null)}
      onClose={onClose}
      disabled={value === undefined}
    >
      <p>
        <code>{slot.path}</code> is filled once: what waits for it goes on with this value.
      </p>
      <SlotValueField value={written} onChange={setWritten} />
    </ActionDialog>
  )
}
