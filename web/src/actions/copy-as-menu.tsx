import { useState } from 'react'
import { useSession } from '../data/session.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { Menu, MenuItem, MenuLabel } from '../ui/menu.tsx'
import type { Action } from './action.ts'
import { CopyAs } from './copy-as.tsx'

/** A menu of all that could be done here, to be copied rather than done. */
export function CopyAsMenu({ actions }: { readonly actions: readonly Action[] }) {
  const { may } = useSession()
  const [shown, setShown] = useState<Action | null>(null)
  const allowed = actions.filter(({ role }) => may(role))
  if (allowed.length === 0) return null
  return (
    <>
      <Menu trigger={<Button>Copy as …</Button>}>
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
