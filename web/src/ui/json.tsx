import type { Json } from 'stint/client'
import { CopyButton } from './copy.tsx'

/** JSON as it is, as text and nothing else: whatever a user put into it stays letters. */
export function JsonText({ value, label = 'Copy JSON' }: { readonly value: Json; readonly label?: string }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <div className="border-line bg-panel relative rounded-[3px] border">
      <pre
        className="max-h-[32rem] overflow-auto py-2 pr-9 pl-3 leading-[1.55] break-words whitespace-pre-wrap"
        tabIndex={0}
      >
        {text}
      </pre>
      <CopyButton text={text} label={label} className="bg-panel absolute top-1.5 right-1.5" />
    </div>
  )
}

/** In one line, for a cell. */
export function JsonLine({ value }: { readonly value: Json }) {
  if (value === null) return <span className="text-ink-3">–</span>
  return <code className="text-ink-2 truncate">{JSON.stringify(value)}</code>
}
