import { type ReactNode, useState } from 'react'
import { useSession } from '../data/session.tsx'
import { Button, type ButtonProps } from '../ui/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'
import type { Action } from './action.ts'
import { CopyAs } from './copy-as.tsx'
import { useAction } from './use-action.ts'

export interface ActionButtonProps<Result> extends Pick<ButtonProps, 'kind' | 'disabled' | 'title'> {
  readonly action: Action<Result>
  /** What is asked before it is done. Without it, a press does it. */
  readonly confirm?: ReactNode
  readonly onDone?: (result: Result) => void
}

/** Whoever may not do it does not see it. */
export function ActionButton<Result>(props: ActionButtonProps<Result>) {
  const { action, confirm, onDone, ...rest } = props
  const { may } = useSession()
  const [isAsking, setIsAsking] = useState(false)
  const { mutate, isPending } = useAction<Result>(onDone)
  if (!may(action.role)) return null
  const act = () => {
    setIsAsking(false)
    mutate(action)
  }
  return (
    <>
      <Button
        {...rest}
        disabled={isPending || rest.disabled}
        onClick={() => (confirm === undefined ? act() : setIsAsking(true))}
      >
        {action.label}
      </Button>
      {isAsking && (
        <Dialog title={action.label} onClose={() => setIsAsking(false)}>
          <DialogBody>
            {confirm}
            <CopyAs action={action} />
          </DialogBody>
          <DialogFoot>
            <Button data-first onClick={() => setIsAsking(false)}>
              Leave it
            </Button>
            <Button kind={rest.kind === 'danger' ? 'danger' : 'primary'} onClick={act}>
              {action.label}
            </Button>
          </DialogFoot>
        </Dialog>
      )}
    </>
  )
}
