import { useState } from 'react'
import { ActionDialog } from '../../actions/action-dialog.tsx'
import { pause } from '../../actions/pauses.ts'
import { Choice, Field, TextInput } from '../../ui/field.tsx'

export function PauseDialog({ onClose }: { readonly onClose: () => void }) {
  const [kind, setKind] = useState<'path' | 'type'>('path')
  const [what, setWhat] = useState('')
  const [reason, setReason] = useState('')
  return (
    <ActionDialog
      title="Pause"
      action={pause(kind === 'path' ? { path: what } : { type: what }, reason)}
      onClose={onClose}
      disabled={what === ''}
    >
      <p>What runs goes on. Nothing of it starts until it is resumed.</p>
      <div className="grid grid-cols-[10rem_minmax(0,1fr)] gap-3">
        <Field label="Pause">
          {(attributes) => (
            <Choice
              {...attributes}
              options={[
                ['path', 'a branch'],
                ['type', 'a type of jobs'],
              ]}
              value={kind}
              onChange={(event) => setKind(event.target.value as 'path' | 'type')}
            />
          )}
        </Field>
        <Field label={kind === 'path' ? 'Path' : 'Type'}>
          {(attributes) => (
            <TextInput
              {...attributes}
              data-first
              required
              className="font-mono"
              placeholder={kind === 'path' ? '/reports' : 'render'}
              value={what}
              onChange={(event) => setWhat(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Field label="Why" hint="Jobs that wait for it say so.">
        {(attributes) => (
          <TextInput {...attributes} value={reason} onChange={(event) => setReason(event.target.value)} />
        )}
      </Field>
    </ActionDialog>
  )
}
