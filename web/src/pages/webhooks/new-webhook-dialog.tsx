import { useState } from 'react'
import type { NewWebhook } from 'stint/client'
import { ActionDialog } from '../../actions/action-dialog.tsx'
import { createWebhook } from '../../actions/webhooks.ts'
import { Field, TextInput } from '../../ui/field.tsx'

export function NewWebhookDialog(props: {
  readonly onClose: () => void
  readonly onMade: (webhook: { readonly id: string; readonly secret: string }) => void
}) {
  const [form, setForm] = useState({ url: '', types: 'job.run.completed job.run.failed', path: '', label: '' })
  const set = (name: keyof typeof form) => (event: { target: { value: string } }) => {
    setForm({ ...form, [name]: event.target.value })
  }
  const types = form.types.split(/[\s,]+/).filter((type) => type !== '')
  const webhook: NewWebhook = {
    url: form.url,
    ...(types.length === 0 ? {} : { types }),
    ...(form.path === '' ? {} : { path: form.path }),
    ...(form.label === '' ? {} : { label: form.label }),
  }
  return (
    <ActionDialog
      title="Add a webhook"
      action={createWebhook(webhook)}
      onClose={props.onClose}
      onDone={props.onMade}
      disabled={form.url === ''}
    >
      <Field label="Address" hint="Over https, and to no private network unless the server allows it.">
        {(attributes) => (
          <TextInput
            {...attributes}
            data-first
            required
            type="url"
            className="font-mono"
            placeholder="https://example.com/stint"
            value={form.url}
            onChange={set('url')}
          />
        )}
      </Field>
      <Field label="Is told of" hint="Types of events, with a space between: job.run.failed, group.*, or * for all.">
        {(attributes) => <TextInput {...attributes} className="font-mono" value={form.types} onChange={set('types')} />}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Below (optional)" hint="A branch. Default all that this key reaches.">
          {(attributes) => (
            <TextInput
              {...attributes}
              className="font-mono"
              placeholder="/reports"
              value={form.path}
              onChange={set('path')}
            />
          )}
        </Field>
        <Field label="Label (optional)" hint="A name for people.">
          {(attributes) => <TextInput {...attributes} value={form.label} onChange={set('label')} />}
        </Field>
      </div>
    </ActionDialog>
  )
}
