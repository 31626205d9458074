import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Json, JsonObject, TemplateView } from 'stint/client'
import { CopyAs } from '../../actions/copy-as.tsx'
import { runTemplate } from '../../actions/templates.ts'
import { useAction } from '../../actions/use-action.ts'
import { addressOf } from '../../data/ids.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { JsonField, readObject } from '../../ui/json-field.tsx'
import { changesOver, fieldsOf, initialOf } from '../../ui/schema-form/schema.ts'
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx'
import { Section } from '../../ui/section.tsx'

/** Makes a job of a template: fields made of its schema, or JSON where there is none. */
export function RunForm({ template }: { readonly template: TemplateView }) {
  const navigate = useNavigate()
  const given = template.params ?? {}
  const fields = template.schema === null ? null : fieldsOf(template.schema as Json)
  const [value, setValue] = useState<JsonObject>(() => initialOf(fields ?? [], given))
  const [text, setText] = useState<string | null>(fields === null ? JSON.stringify(given, null, 2) : null)
  const [name, setName] = useState('')
  const read = text === null ? { value, error: null } : readObject(text)
  const params = changesOver(given, read.value ?? {})
  const action = runTemplate(template, { params, ...(name === '' ? {} : { name }) })
  const { mutate, isPending, error } = useAction<{ readonly id: string }>((job) => {
    void navigate({ to: '/jobs/$job', params: { job: addressOf(job.id) } as never })
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (read.error === null) mutate(action)
  }
  const toggle = () => {
    if (text === null) setText(JSON.stringify(value, null, 2))
    else if (read.value !== undefined) {
      setValue(read.value)
      setText(null)
    }
  }
  return (
    <Section
      title="Run it"
      aside={
        fields !== null && (
          <button type="button" className="hover:underline" onClick={toggle}>
            {text === null ? 'as JSON' : 'as a form'}
          </button>
        )
      }
    >
      <form onSubmit={submit} className="space-y-3 pt-3">
        {text === null ? (
          <SchemaForm fields={fields ?? []} value={value} onChange={setValue} />
        ) : (
          <JsonField label="Params" rows={8} text={text} error={read.error} onChange={setText} />
        )}
        <Field label="Name (optional)" hint="Where the job stands in the tree. Made up if empty.">
          {(attributes) => (
            <TextInput
              {...attributes}
              className="font-mono"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {error !== null && (
          <p role="alert" className="text-fail break-words">
            {error.message}
          </p>
        )}
        <Button kind="primary" type="submit" disabled={isPending || read.error !== null}>
          Run
        </Button>
        <CopyAs action={action} />
      </form>
    </Section>
  )
}
