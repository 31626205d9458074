import { useIsFetching } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { KeysDialog } from './keys-dialog.tsx'
import { Nav } from './nav.tsx'
import { Palette } from './palette.tsx'
import { useShellKeys } from './shell-keys.ts'
import { SubmitDialog } from './submit-dialog.tsx'

type Open = 'palette' | 'keys' | 'submit' | null

/** What stands around every page. */
export function Shell() {
  const [open, setOpen] = useState<Open>(null)
  const isBusy = useIsFetching() > 0
  const close = () => setOpen(null)
  useShellKeys({ onPalette: () => setOpen('palette'), onKeys: () => setOpen('keys') })
  return (
    <div className="grid h-full min-[58rem]:grid-cols-[11.5rem_minmax(0,1fr)] max-[58rem]:grid-rows-[auto_minmax(0,1fr)]">
      <a
        href="#main"
        className="bg-raise absolute top-1 left-1 z-50 -translate-y-16 rounded-[3px] px-3 py-1.5 focus:translate-y-0"
      >
        Skip to the page
      </a>
      <Nav onPalette={() => setOpen('palette')} onKeys={() => setOpen('keys')} onSubmit={() => setOpen('submit')} />
      <main id="main" tabIndex={-1} aria-busy={isBusy} className="flex min-h-0 min-w-0 flex-col outline-none">
        <Outlet />
      </main>
      {open === 'palette' && (
        <Palette onClose={close} onSubmit={() => setOpen('submit')} onKeys={() => setOpen('keys')} />
      )}
      {open === 'keys' && <KeysDialog onClose={close} />}
      {open === 'submit' && <SubmitDialog onClose={close} />}
    </div>
  )
}
