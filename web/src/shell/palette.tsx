import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { usePreferences } from '../data/preferences.tsx'
import { useSession } from '../data/session.tsx'
import { pages } from '../pages/pages.ts'
import { cx } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { SearchIcon } from '../ui/icons.tsx'

interface Entry {
  readonly label: string
  readonly about: string
  readonly act: () => void
}

/** Pages, things to do, and jobs by name or id, found by what is written. */
export function Palette(props: {
  readonly onClose: () => void
  readonly onSubmit: () => void
  readonly onKeys: () => void
}) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const listId = useId()
  const all = useEntries(props, text.trim())
  const found = all.filter(({ label }) => matches(label, text))
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return
    props.onClose()
    entry.act()
  }
  const move = (to: number) => {
    const next = (to + found.length) % Math.max(1, found.length)
    setAt(next)
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(at + 1)
    else if (event.key === 'ArrowUp') move(at - 1)
    else if (event.key === 'Enter') choose(found[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to" onClose={props.onClose} bare>
      <div className="border-line text-ink-3 flex items-center gap-2 border-b px-4">
        <SearchIcon />
        <input
          role="combobox"
          data-first
          aria-label="Go to"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={`${listId}-${at}`}
          autoComplete="off"
          spellCheck={false}
          className="text-ink h-11 flex-1 outline-none"
          placeholder="A page, an action, the name or id of a job"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKey}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a list of things to choose from. */}
      <ul ref={list} id={listId} role="listbox" aria-label="Found" className="max-h-80 overflow-y-auto py-1">
        {found.map((entry, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above listens to keys.
          <li
            key={`${entry.about} ${entry.label}`}
            id={`${listId}-${i}`}
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: one of a list to choose from.
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            onClick={() => choose(entry)}
            onMouseMove={() => setAt(i)}
            className={cx('flex h-8 items-center justify-between gap-4 px-4', i === at && 'bg-ink/8')}
          >
            <span className="truncate">{entry.label}</span>
            <span className="text-ink-3 text-[12px]">{entry.about}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function matches(label: string, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/)
  return words.every((word) => label.toLowerCase().includes(word))
}

function useEntries(props: { onSubmit: () => void; onKeys: () => void }, text: string): readonly Entry[] {
  const navigate = useNavigate()
  const { client, may, key, signOut } = useSession()
  const { setTheme, setZone } = usePreferences()
  return useMemo(() => {
    const to = (path: string, search: Record<string, string> = {}) =>
      void navigate({ to: path, search: search as never })
    const open = async (reference: string) => {
      const job = await client.jobs.get(reference).catch(() => null)
      if (job === null) to('/jobs', { q: reference })
      else to(`/jobs/${encodeURIComponent(job.id)}`)
    }
    const isReference = /^\/.|^[0-9a-f]{8}-[0-9a-f-]{27}$|:/.test(text)
    return [
      ...pages.flatMap(({ path, label, group }) =>
        group === null ? [] : [{ label, about: 'page', act: () => to(path) }],
      ),
      ...(isReference ? [{ label: `Open ${text}`, about: 'job', act: () => void open(text) }] : []),
      ...(text === ''
        ? []
        : [{ label: `Search jobs for ${text}`, about: 'search', act: () => to('/jobs', { q: text }) }]),
      ...(may('submit') ? [{ label: 'Submit a job', about: 'action', act: props.onSubmit }] : []),
      { label: 'Light colours', about: 'setting', act: () => setTheme('light') },
      { label: 'Dark colours', about: 'setting', act: () => setTheme('dark') },
      { label: 'Colours of the system', about: 'setting', act: () => setTheme('system') },
      { label: 'Times in UTC', about: 'setting', act: () => setZone('utc') },
      { label: 'Times of this place', about: 'setting', act: () => setZone('local') },
      { label: 'Keys', about: 'help', act: props.onKeys },
      ...(key === null ? [] : [{ label: 'Sign out', about: 'action', act: signOut }]),
    ]
  }, [navigate, client, may, key, signOut, setTheme, setZone, props.onSubmit, props.onKeys, text])
}
