import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import { cx } from './class-names.ts'
import { CloseIcon, CompletedIcon, FailedIcon } from './icons.tsx'

interface Toast {
  readonly id: number
  readonly tone: 'ok' | 'fail'
  readonly text: string
}

type Say = (tone: Toast['tone'], text: string) => void

const ToastContext = createContext<Say>(() => undefined)
let lastId = 0

/** What became of something that was done, for a moment. What failed stays until it is closed. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), [])
  const say = useCallback<Say>(
    (tone, text) => {
      const toast = { id: ++lastId, tone, text }
      setToasts((all) => [...all.slice(-3), toast])
      if (tone === 'ok') setTimeout(() => close(toast.id), 4_000)
    },
    [close],
  )
  const value = useMemo(() => say, [say])
  return (
    <ToastContext value={value}>
      {children}
      <div role="status" className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-96 flex-col gap-2">
        {toasts.map(({ id, tone, text }) => (
          <div
            key={id}
            className="border-line-strong bg-raise pointer-events-auto flex items-start gap-2 rounded-[3px] border px-3 py-2 shadow-lg"
          >
            <span className={cx('pt-0.5', tone === 'ok' ? 'text-ok' : 'text-fail')}>
              {tone === 'ok' ? <CompletedIcon /> : <FailedIcon />}
            </span>
            <span className="min-w-0 flex-1 break-words">{text}</span>
            <button type="button" aria-label="Close" onClick={() => close(id)} className="text-ink-3 p-0.5">
              <CloseIcon size={12} />
            </button>
          </div>
        ))}
      </div>
    </ToastContext>
  )
}

export function useSay(): Say {
  return use(ToastContext)
}
