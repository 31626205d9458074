import { usePreferences, useTimeZone, type Zone } from '../data/preferences.tsx'
import { Field, TextInput } from './field.tsx'

/** What a field for date and time says, in the zone that was chosen; null when it says nothing. */
export function momentOf(text: string, zone: Zone): Date | null {
  if (text === '') return null
  const moment = new Date(zone === 'utc' ? `${text}Z` : text)
  return Number.isNaN(moment.getTime()) ? null : moment
}

/** A moment as such a field takes it, to the minute. */
export function momentText(at: Date, zone: Zone): string {
  const shifted = zone === 'utc' ? at : new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)
}

export function MomentField(props: {
  readonly label: string
  readonly text: string
  readonly required?: boolean
  readonly onChange: (text: string) => void
}) {
  const zone = useTimeZone()
  return (
    <Field label={props.label} hint={zone}>
      {(attributes) => (
        <TextInput
          {...attributes}
          type="datetime-local"
          required={props.required ?? false}
          value={props.text}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

export function useZone(): Zone {
  return usePreferences().zone
}
