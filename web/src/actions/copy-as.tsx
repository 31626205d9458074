import { useState } from 'react'
import { useSession } from '../data/session.tsx'
import { cx } from '../ui/class-names.ts'
import { Copyable } from '../ui/copy.tsx'
import { type Action, codeOf, curlOf } from './action.ts'

const forms = [
  ['curl', 'curl'],
  ['cli', 'Command line'],
  ['code', 'TypeScript'],
] as const

/** An action in three languages. */
export function CopyAs({ action }: { readonly action: Action }) {
  const { key } = useSession()
  const [form, setForm] = useState<(typeof forms)[number][0]>('curl')
  const text =
    form === 'curl'
      ? curlOf(action, key !== null)
      : form === 'cli' && action.cli !== null
        ? action.cli
        : codeOf(action, key !== null)
  return (
    <div>
      <fieldset className="mb-1.5 flex gap-3 text-[12px]">
        <legend className="sr-only">The same as</legend>
        {forms
          .filter(([value]) => value !== 'cli' || action.cli !== null)
          .map(([value, label]) => (
            <button
              key={value}
              type="button"
              aria-pressed={form === value}
              onClick={() => setForm(value)}
              className={cx(form === value ? 'border-ink border-b' : 'text-ink-3 hover:text-ink')}
            >
              {label}
            </button>
          ))}
      </fieldset>
      <Copyable text={text} />
    </div>
  )
}
