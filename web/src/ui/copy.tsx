import { useState } from 'react'
import { cx } from './class-names.ts'
import { CompletedIcon, CopyIcon } from './icons.tsx'

/** Copies a text, and says that it did. */
export function CopyButton(props: { readonly text: string; readonly label?: string; readonly className?: string }) {
  const { text, label = 'Copy', className } = props
  const [isDone, setIsDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setIsDone(true)
    setTimeout(() => setIsDone(false), 1_500)
  }
  return (
    <button
      type="button"
      onClick={() => void copy()}
      title={label}
      className={cx('text-ink-3 hover:text-ink inline-flex items-center gap-1 rounded-[2px] p-0.5', className)}
    >
      {isDone ? <CompletedIcon size={13} /> : <CopyIcon size={13} />}
      <span className="sr-only" aria-live="polite">
        {isDone ? 'Copied' : label}
      </span>
    </button>
  )
}

/** A command or a piece of code, to be taken along. */
export function Copyable({ text }: { readonly text: string }) {
  return (
    <div className="border-line bg-panel flex items-start rounded-[3px] border">
      <pre className="min-w-0 flex-1 overflow-x-auto py-2 pl-3 leading-[1.55] whitespace-pre" tabIndex={0}>
        {text}
      </pre>
      <CopyButton text={text} className="m-1.5" />
    </div>
  )
}
