import type { Json, JsonObject } from 'stint/client'
import { Field, TextArea } from './field.tsx'

/** What a text says as JSON; what is wrong with it otherwise. */
export function readJson(text: string): { readonly value: Json | undefined; readonly error: string | null } {
  if (text.trim() === '') return { value: undefined, error: null }
  try {
    return { value: JSON.parse(text) as Json, error: null }
  } catch (error) {
    return { value: undefined, error: `This is no JSON: ${(error as Error).message}` }
  }
}

/** The same where only an object will do. */
export function readObject(text: string): { readonly value: JsonObject | undefined; readonly error: string | null } {
  const { value, error } = readJson(text)
  if (error !== null || value === undefined) return { value: undefined, error }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject
    ? { value: value as JsonObject, error: null }
    : { value: undefined, error: 'An object is needed here: { … }.' }
}

export function JsonField(props: {
  readonly label: string
  readonly text: string
  readonly error: string | null
  readonly hint?: string
  readonly rows?: number
  readonly onChange: (text: string) => void
}) {
  const { label, text, error, hint, rows = 4, onChange } = props
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      {(attributes) => (
        <TextArea {...attributes} rows={rows} value={text} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  )
}
