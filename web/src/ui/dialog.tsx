import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { cx } from './class-names.ts'
import { CloseIcon } from './icons.tsx'

/** The dialog of the browser itself: it keeps the focus, closes with Escape, and needs no styles of its own making. */
export function Dialog(props: {
  readonly title: string
  readonly onClose: () => void
  readonly wide?: boolean
  readonly bare?: boolean
  /** At the left edge, as high as the window. */
  readonly side?: boolean
  readonly children: ReactNode
}) {
  const { title, onClose, wide = false, bare = false, side = false, children } = props
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  // Before it is gone: only a dialog that closes gives the focus back to where it was.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // Where nobody says what comes first, it is the button that closes.
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus()
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well.
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === element.current && onClose()}
      className={cx(
        'border-line-strong bg-raise p-0 shadow-xl',
        side ? 'm-0 h-full max-h-none w-60 border-r' : 'm-auto mt-[12vh] w-full rounded-[4px] border',
        !side && (wide ? 'max-w-[52rem]' : 'max-w-[34rem]'),
      )}
    >
      {bare ? (
        <h2 id={titleId} className="sr-only">
          {title}
        </h2>
      ) : (
        <header className="border-line flex items-center justify-between border-b px-4 py-2.5">
          <h2 id={titleId} className="text-[14px]">
            {title}
          </h2>
          <button type="button" onClick={onClose} aria-label="Close" className="text-ink-3 hover:text-ink p-1">
            <CloseIcon />
          </button>
        </header>
      )}
      {children}
    </dialog>
  )
}

export function DialogBody({ children }: { readonly children: ReactNode }) {
  return <div className="max-h-[62vh] space-y-3 overflow-y-auto px-4 py-3">{children}</div>
}

export function DialogFoot({ children }: { readonly children: ReactNode }) {
  return (
    <footer className="border-line bg-panel flex items-center justify-end gap-2 border-t px-4 py-2.5">
      {children}
    </footer>
  )
}
