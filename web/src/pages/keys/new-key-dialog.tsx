import { useState } from 'react'
import type { NewKey } from 'stint/client'
import { ActionDialog } from '../../actions/action-dialog.tsx'
import { createKey } from '../../actions/keys.ts'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { MomentField, momentOf, useZone } from '../../ui/moment-field.tsx'

const roles = [
  ['read', 'read: see'],
  ['submit', 'submit: and make, change, cancel jobs'],
  ['work', 'work: and claim and end attempts'],
  ['admin', 'admin: and everything else'],
] as const

export function NewKeyDialog(props: {
  readonly onClose: () => void
  readonly onMade: (made: { readonly key: string }) => void
}) {
  const zone = useZone()
  const [form, setForm] = useState({ label: '', role: 'read', path: '', expires: '' })
  const set = (name: keyof typeof form) => (event: { target: { value: string } }) => {
    setForm({ ...form, [name]: event.target.value })
  }
  const expiresAt = momentOf(form.expires, zone)
  const key: NewKey = {
    label: form.label,
    role: form.role as NewKey['role'],
    ...(form.path === '' ? {} : { path: form.path }),
    ...(expiresAt === null ? {} : { expiresAt }),
  }
  return (
    <ActionDialog
      title="New key"
      action={createKey(key)}
      onClose={props.onClose}
      onDone={props.onMade}
      disabled={form.label === ''}
    >
      <Field label="Label" hint="A name for people. It stands in the log with whatever the key does.">
        {(attributes) => <TextInput {...attributes} data-first required value={form.label} onChange={set('label')} />}
      </Field>
      <Field label="Role">
        {(attributes) => <Choice {...attributes} options={roles} value={form.role} onChange={set('role')} />}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Reaches (optional)" hint="A branch. Default all that you reach yourself.">
          {(attributes) => (
            <TextInput
              {...attributes}
              className="font-mono"
              placeholder="/billing"
              value={form.path}
              onChange={set('path')}
            />
          )}
        </Field>
        <MomentField
          label="Ends (optional)"
          text={form.expires}
          onChange={(expires) => setForm({ ...form, expires })}
        />
      </div>
    </ActionDialog>
  )
}
