import { useState } from 'react'
import type { Json } from 'stint/client'
import { cx } from '../ui/class-names.ts'
import { Field, TextArea, TextInput } from '../ui/field.tsx'
import { JsonField, readJson } from '../ui/json-field.tsx'

const kinds = [
  ['flag', 'Yes or no'],
  ['text', 'Text'],
  ['number', 'Number'],
  ['json', 'JSON'],
] as const

type Kind = (typeof kinds)[number][0]

/** What was written, as a value; undefined while it is none. */
export interface SlotValue {
  readonly kind: Kind
  readonly isYes: boolean
  readonly text: string
}

export function useSlotValue(): readonly [SlotValue, (value: SlotValue) => void, Json | undefined] {
  const [value, setValue] = useState<SlotValue>({ kind: 'flag', isYes: true, text: '' })
  return [value, setValue, readValue(value)]
}

function readValue({ kind, isYes, text }: SlotValue): Json | undefined {
  if (kind === 'flag') return isYes
  if (kind === 'text') return text
  if (kind === 'json') return readJson(text).value
  const number = Number(text)
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number
}

/** A value by hand: most of them are an answer to a question. */
export function SlotValueField(props: { readonly value: SlotValue; readonly onChange: (value: SlotValue) => void }) {
  const { value, onChange } = props
  const { kind, isYes, text } = value
  const write = (next: string) => onChange({ ...value, text: next })
  return (
    <div>
      <fieldset className="mb-2 flex gap-3 text-[12px]">
        <legend className="sr-only">Kind of value</legend>
        {kinds.map(([each, label]) => (
          <button
            key={each}
            type="button"
            aria-pressed={kind === each}
            onClick={() => onChange({ ...value, kind: each })}
            className={cx(kind === each ? 'border-ink border-b' : 'text-ink-3 hover:text-ink')}
          >
            {label}
          </button>
        ))}
      </fieldset>
      {kind === 'flag' && (
        <fieldset className="flex gap-4">
          <legend className="sr-only">Value</legend>
          {[true, false].map((answer) => (
            <label key={String(answer)} className="flex items-center gap-1.5">
              <input
                type="radio"
                name="slot-value"
                data-first={answer === isYes ? true : undefined}
                className="accent-accent size-3.5"
                checked={isYes === answer}
                onChange={() => onChange({ ...value, isYes: answer })}
              />
              {answer ? 'Yes' : 'No'} <code className="text-ink-3">{String(answer)}</code>
            </label>
          ))}
        </fieldset>
      )}
      {kind === 'text' && (
        <Field label="Value">
          {(attributes) => (
            <TextArea {...attributes} rows={3} value={text} onChange={(event) => write(event.target.value)} />
          )}
        </Field>
      )}
      {kind === 'number' && (
        <Field label="Value">
          {(attributes) => (
            <TextInput
              {...attributes}
              type="number"
              step="any"
              value={text}
              onChange={(event) => write(event.target.value)}
            />
          )}
        </Field>
      )}
      {kind === 'json' && (
        <JsonField label="Value, as JSON" text={text} error={readJson(text).error} onChange={write} />
      )}
    </div>
  )
}
