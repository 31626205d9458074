import { useState } from 'react'
import { useSession } from '../data/session.tsx'
import { cx } from '../ui/class-names.ts'
import { Copyable } from '../ui/copy.tsx'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { Menu, MenuItem, MenuLabel } from '../ui/menu.tsx'
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
    form === 'curl' ? curlOf(action, key !== null) : form === 'cli' ? action.cli : codeOf(action, key !== null)
  return (
    <div>
      <fieldset className="mb-1.5 flex gap-3 text-[12px]">
        <legend className="sr-only">The same as</legend>
        {forms.map(([value, label]) => (
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

/** A menu of all that could be done here, to be copied rather than done. */
export function CopyAsMenu({ actions }: { readonly actions: readonly Action[] }) {
  const { may } = useSession()
  const [shown, setShown] = useState<Action | null>(null)
  const allowed = actions.filter(({ role }) => may(role))
  if (allowed.length === 0) return null
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            className="border-line-strong bg-raise hover:border-ink-3 h-7 rounded-[3px] border px-2 text-[12px]"
          >
            Copy as …
          </button>
        }
      >
        <MenuLabel>curl, command line, TypeScript</MenuLabel>
        {allowed.map((action) => (
          <MenuItem key={action.label} onSelect={() => setShown(action)}>
            {action.label}
          </MenuItem>
        ))}
      </Menu>
      {shown !== null && (
        <Dialog title={shown.label} onClose={() => setShown(null)}>
          <DialogBody>
            <CopyAs action={shown} />
          </DialogBody>
        </Dialog>
      )}
    </>
  )
}
