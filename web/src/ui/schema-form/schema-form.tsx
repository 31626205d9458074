import { useState } from 'react'
import type { Json, JsonObject } from 'stint/client'
import { Choice, Field, TextArea, TextInput } from '../field.tsx'
import { readJson } from '../json-field.tsx'
import { type FieldSchema, isObject } from './schema.ts'

/** A form made of a schema. What is left empty is left out. */
export function SchemaForm(props: {
  readonly fields: FieldSchema['fields']
  readonly value: JsonObject
  readonly onChange: (value: JsonObject) => void
}) {
  const { fields, value, onChange } = props
  const set = (name: string) => (next: Json | undefined) => {
    const { [name]: _, ...rest } = value
    onChange(next === undefined ? rest : { ...rest, [name]: next })
  }
  return (
    <div className="space-y-3">
      {fields.map(([name, field]) => (
        <SchemaField key={name} name={name} field={field} value={value[name]} onChange={set(name)} />
      ))}
    </div>
  )
}

interface FieldProps {
  readonly name: string
  readonly field: FieldSchema
  readonly value: Json | undefined
  readonly onChange: (value: Json | undefined) => void
}

function SchemaField(props: FieldProps) {
  const { name, field, value, onChange } = props
  if (field.kind === 'object') {
    return (
      <fieldset className="border-line border-l pl-3">
        <legend className="mb-1 font-semibold">{field.title ?? name}</legend>
        {field.about !== null && <p className="text-ink-3 mb-2 text-[12px]">{field.about}</p>}
        <SchemaForm fields={field.fields} value={isObject(value) ? value : {}} onChange={onChange} />
      </fieldset>
    )
  }
  if (field.kind === 'flag') return <FlagField {...props} />
  if (field.kind === 'json') return <AnyField {...props} />
  return (
    <Field label={labelOf(props)} {...(field.about === null ? {} : { hint: field.about })}>
      {(attributes) => {
        if (field.kind === 'choice') {
          const options = field.options.map((each) => [JSON.stringify(each), textOf(each)] as const)
          return (
            <Choice
              {...attributes}
              required={field.isRequired}
              options={field.isRequired && value !== undefined ? options : [['', '–'], ...options]}
              value={value === undefined ? '' : JSON.stringify(value)}
              onChange={(event) => onChange(event.target.value === '' ? undefined : JSON.parse(event.target.value))}
            />
          )
        }
        if (field.kind === 'lines') {
          return (
            <TextArea
              {...attributes}
              rows={3}
              required={field.isRequired}
              placeholder="one a line"
              value={Array.isArray(value) ? value.join('\n') : ''}
              onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value.split('\n'))}
            />
          )
        }
        return (
          <TextInput
            {...attributes}
            {...field.input}
            required={field.isRequired}
            value={value === undefined ? '' : textOf(value)}
            onChange={(event) => onChange(inputValue(field, event.target.value))}
          />
        )
      }}
    </Field>
  )
}

function FlagField({ name, field, value, onChange }: FieldProps) {
  return (
    <label className="flex items-start gap-2">
      <input
        type="checkbox"
        className="accent-accent mt-0.5 size-3.5"
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        <span className="font-semibold">{field.title ?? name}</span>
        {field.about !== null && <span className="text-ink-3 block text-[12px]">{field.about}</span>}
      </span>
    </label>
  )
}

/** What no field fits is written as JSON. */
function AnyField({ name, field, value, onChange }: FieldProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value)))
  const { error } = readJson(text)
  return (
    <Field
      label={`${field.title ?? name}, as JSON`}
      error={error}
      {...(field.about === null ? {} : { hint: field.about })}
    >
      {(attributes) => (
        <TextArea
          {...attributes}
          rows={3}
          required={field.isRequired}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            const read = readJson(event.target.value)
            if (read.error === null) onChange(read.value)
          }}
        />
      )}
    </Field>
  )
}

function labelOf({ name, field }: FieldProps): string {
  return `${field.title ?? name}${field.isRequired ? '' : ' (optional)'}`
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function inputValue({ kind }: FieldSchema, text: string): Json | undefined {
  if (text === '') return undefined
  return kind === 'number' ? Number(text) : text
}
