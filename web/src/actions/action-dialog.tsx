import type { FormEvent, ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'
import type { Action } from './action.ts'
import { CopyAs } from './copy-as.tsx'
import { useAction } from './use-action.ts'

/** Something to be filled in before it is done, or copied. */
export function ActionDialog<Result>(props: {
  readonly title: string
  readonly action: Action<Result>
  readonly onClose: () => void
  /** Default closes the dialog. */
  readonly onDone?: (result: Result) => void
  /** Whether it cannot be done as it is filled in. */
  readonly disabled?: boolean
  readonly danger?: boolean
  readonly wide?: boolean
  readonly children: ReactNode
}) {
  const { title, action, onClose, onDone, disabled = false, danger = false, wide = false } = props
  const { mutate, isPending, error } = useAction<Result>((result) => {
    if (onDone === undefined) onClose()
    else onDone(result)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!disabled) mutate(action)
  }
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form onSubmit={submit}>
        <DialogBody>
          {props.children}
          <CopyAs action={action} />
        </DialogBody>
        <DialogFoot>
          {error !== null && (
            <p role="alert" className="text-fail mr-auto min-w-0 break-words">
              {error.message}
            </p>
          )}
          <Button onClick={onClose}>Leave it</Button>
          <Button kind={danger ? 'danger' : 'primary'} type="submit" disabled={disabled || isPending}>
            {action.label}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
