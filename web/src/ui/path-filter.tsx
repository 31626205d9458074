import { useEffect, useState } from 'react'
import { useUrlState } from '../data/url-state.ts'
import { TextInput } from './field.tsx'

/** How long nobody writes before it is looked for. */
const restMs = 250

/** Narrows a list to a branch of the tree; which one stands in the address. */
export function PathFilter({ placeholder = '/reports' }: { readonly placeholder?: string }) {
  const [{ path = '' }, setUrl] = useUrlState()
  const [text, setText] = useState(path)
  useEffect(() => setText(path), [path])
  useEffect(() => {
    if (text === path) return
    const timer = setTimeout(() => setUrl({ path: text }), restMs)
    return () => clearTimeout(timer)
  }, [text, path, setUrl])
  return (
    <TextInput
      type="search"
      aria-label="At or below a path"
      title="At or below this path"
      className="w-56 font-mono text-[12px]"
      placeholder={`below ${placeholder}`}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}

/** Shows those, too, that are over. */
export function AllSwitch({ label }: { readonly label: string }) {
  const [{ all }, setUrl] = useUrlState()
  return (
    <label className="text-ink-2 mr-2 flex items-center gap-1.5 whitespace-nowrap">
      <input
        type="checkbox"
        className="accent-accent size-3.5"
        checked={all === 'yes'}
        onChange={() => setUrl({ all: all === 'yes' ? undefined : 'yes' })}
      />
      {label}
    </label>
  )
}

/** What both say, as the API takes it. */
export function useRecordsQuery(): { readonly path?: string; readonly all?: boolean } {
  const [{ path, all }] = useUrlState()
  return { ...(path ? { path } : {}), ...(all === 'yes' ? { all: true } : {}) }
}
