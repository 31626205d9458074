import { useEffect, useId, useState } from 'react'
import { cx } from '../../ui/class-names.ts'
import { SearchIcon } from '../../ui/icons.tsx'
import { qualifiers } from './job-search.ts'

/** Letters that follow each other quickly are one search. */
const pauseMs = 250

export function SearchField(props: {
  readonly value: string
  readonly problem: string | null
  readonly onChange: (value: string) => void
}) {
  const { value, problem, onChange } = props
  const [text, setText] = useState(value)
  const [isHelping, setIsHelping] = useState(false)
  const helpId = useId()
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <div className="relative w-[26rem] max-w-full">
      <div
        className={cx(
          'bg-raise flex h-7 items-center gap-1.5 rounded-[3px] border px-2',
          problem === null ? 'border-line-strong' : 'border-fail',
        )}
      >
        <span className="text-ink-3">
          <SearchIcon size={13} />
        </span>
        <input
          type="search"
          aria-label="Search jobs"
          aria-describedby={helpId}
          autoComplete="off"
          spellCheck={false}
          placeholder="name:/reports status:failed since:2h …"
          className="min-w-0 flex-1 font-mono text-[12px] outline-none"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onFocus={() => setIsHelping(true)}
          onBlur={() => setIsHelping(false)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onChange(text)
            if (event.key !== 'Escape') return
            // Whoever leaves the field keeps what they looked for: by itself the browser would empty it.
            event.preventDefault()
            event.currentTarget.blur()
          }}
        />
      </div>
      <div
        id={helpId}
        hidden={!isHelping && problem === null}
        className="border-line-strong bg-raise absolute top-8 right-0 z-30 w-full rounded-[3px] border px-3 py-2 text-[12px] shadow-lg"
      >
        {problem !== null && <p className="text-fail pb-1">{problem}</p>}
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-0.5">
          {qualifiers.map(([example, what]) => (
            <div key={example} className="col-span-2 grid grid-cols-subgrid">
              <dt>
                <code>{example}</code>
              </dt>
              <dd className="text-ink-3">{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  )
}
