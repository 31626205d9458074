import { useState } from 'react'
import type { LimitRow } from 'stint/client'
import { ActionDialog } from '../../actions/action-dialog.tsx'
import { setLimit } from '../../actions/limits.ts'
import { Field, TextInput } from '../../ui/field.tsx'

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const

/** As it is written: `100/min`, `3/10s`. */
function rateText({ count, perMs }: NonNullable<LimitRow['rate']>): string {
  const [unit, size] = units.find(([, each]) => perMs % each === 0) ?? ['ms', 1]
  return `${count}/${perMs === size ? '' : perMs / size}${unit}`
}

/** A new limit, or what one is from now on. */
export function LimitDialog({ limit, onClose }: { readonly limit: LimitRow | null; readonly onClose: () => void }) {
  const [key, setKey] = useState(limit?.key ?? '')
  const [concurrency, setConcurrency] = useState(limit?.concurrency?.toString() ?? '')
  const [rate, setRate] = useState(limit?.rate ? rateText(limit.rate) : '')
  const change = {
    key,
    concurrency: concurrency === '' ? null : Number(concurrency),
    rate: rate.trim() === '' ? null : rate.trim(),
  }
  return (
    <ActionDialog
      title={limit === null ? 'Set a limit' : `Change ${limit.key}`}
      action={setLimit(change)}
      onClose={onClose}
      disabled={key === ''}
    >
      <Field label="Key" hint="A name that jobs give, or a path: then it holds for every job at it or below.">
        {(attributes) => (
          <TextInput
            {...attributes}
            data-first={limit === null ? true : undefined}
            required
            disabled={limit !== null}
            className="font-mono"
            placeholder="customer:42"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label="At once" hint="Attempts that may be open. Empty for any number.">
          {(attributes) => (
            <TextInput
              {...attributes}
              type="number"
              min={0}
              value={concurrency}
              onChange={(event) => setConcurrency(event.target.value)}
            />
          )}
        </Field>
        <Field label="Rate" hint="Such as 100/min, 5/s or 3/10s. Empty for any.">
          {(attributes) => <TextInput {...attributes} value={rate} onChange={(event) => setRate(event.target.value)} />}
        </Field>
      </div>
    </ActionDialog>
  )
}
