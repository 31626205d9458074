import { useState } from 'react'
import type { TemplateView } from 'stint/client'
import { ActionDialog } from '../../actions/action-dialog.tsx'
import { createTemplate } from '../../actions/templates.ts'
import { Field, TextInput } from '../../ui/field.tsx'
import { JsonField, readObject } from '../../ui/json-field.tsx'

export function NewTemplateDialog(props: {
  readonly onClose: () => void
  readonly onMade: (template: TemplateView) => void
}) {
  const [form, setForm] = useState({ path: '', type: '', label: '', params: '', schema: '' })
  const set = (name: keyof typeof form) => (text: string) => setForm({ ...form, [name]: text })
  const [params, schema] = [readObject(form.params), readObject(form.schema)]
  const template = {
    path: form.path,
    type: form.type,
    ...(form.label === '' ? {} : { label: form.label }),
    ...(params.value === undefined ? {} : { params: params.value }),
    ...(schema.value === undefined ? {} : { schema: schema.value }),
  }
  return (
    <ActionDialog
      title="New template"
      action={createTemplate(template)}
      onClose={props.onClose}
      onDone={props.onMade}
      disabled={form.path === '' || form.type === '' || params.error !== null || schema.error !== null}
    >
      <div className="grid grid-cols-2 gap-3">
        <Field label="Path">
          {(attributes) => (
            <TextInput
              {...attributes}
              data-first
              required
              className="font-mono"
              placeholder="/reports/monthly"
              value={form.path}
              onChange={(event) => set('path')(event.target.value)}
            />
          )}
        </Field>
        <Field label="Type of its jobs">
          {(attributes) => (
            <TextInput
              {...attributes}
              required
              value={form.type}
              onChange={(event) => set('type')(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Field label="Label" hint="A name for people.">
        {(attributes) => (
          <TextInput {...attributes} value={form.label} onChange={(event) => set('label')(event.target.value)} />
        )}
      </Field>
      <JsonField
        label="Default params"
        hint="What a job says is merged over them, by the first level."
        text={form.params}
        error={params.error}
        onChange={set('params')}
      />
      <JsonField
        label="JSON Schema of the params"
        hint="The form to run it is made of this."
        rows={6}
        text={form.schema}
        error={schema.error}
        onChange={set('schema')}
      />
    </ActionDialog>
  )
}
