import { useState } from 'react'
import { recall, remember } from '../../data/stored.ts'
import { Button } from '../../ui/button.tsx'
import { DownIcon } from '../../ui/icons.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../../ui/menu.tsx'

interface View {
  readonly q: string
  readonly status: string
}

const given: readonly View[] = [
  { q: 'since:1h', status: 'failed' },
  { q: 'since:1d', status: '' },
]

function saved(): readonly View[] {
  try {
    return JSON.parse(recall('views') ?? '[]') as readonly View[]
  } catch {
    return []
  }
}

function labelOf({ q, status }: View): string {
  return [status, q].filter((part) => part !== '').join(' · ') || 'All jobs'
}

/** Searches that somebody uses again and again, kept in their browser. */
export function SavedViews(props: View & { readonly onChoose: (view: { q: string; status: string }) => void }) {
  const { q, status, onChoose } = props
  const [views, setViews] = useState(saved)
  const own = { q, status }
  const isSaved = views.some((view) => labelOf(view) === labelOf(own))
  const change = (next: readonly View[]) => {
    setViews(next)
    remember('views', JSON.stringify(next))
  }
  return (
    <Menu
      trigger={
        <Button>
          Views <DownIcon size={12} />
        </Button>
      }
    >
      <MenuLabel>Views</MenuLabel>
      {[...given, ...views].map((view) => (
        <MenuItem key={labelOf(view)} onSelect={() => onChoose(view)}>
          <code>{labelOf(view)}</code>
        </MenuItem>
      ))}
      <MenuLine />
      {isSaved ? (
        <MenuItem onSelect={() => change(views.filter((view) => labelOf(view) !== labelOf(own)))}>
          Forget this view
        </MenuItem>
      ) : (
        <MenuItem disabled={q === '' && status === ''} onSelect={() => change([...views, own])}>
          Keep this view
        </MenuItem>
      )}
    </Menu>
  )
}
