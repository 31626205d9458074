import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { pages } from '../pages/pages.ts'

/** How long after `g` the second key may come. */
const pairMs = 1_200

/** Whether somebody is writing, so that keys are letters. */
export function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}

/** Keys that do the same on every page. */
export function useShellKeys(on: { readonly onPalette: () => void; readonly onKeys: () => void }): void {
  const navigate = useNavigate()
  const latest = useRef(on)
  latest.current = on
  useEffect(() => {
    let goingUntil = 0
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        latest.current.onPalette()
        return
      }
      if (isWriting(event.target) || event.metaKey || event.ctrlKey || event.altKey) return
      if (document.querySelector('dialog[open]') !== null) return
      if (performance.now() < goingUntil) {
        goingUntil = 0
        const page = pages.find(({ key }) => key === event.key)
        if (page !== undefined) void navigate({ to: page.path })
        return
      }
      if (event.key === 'g') goingUntil = performance.now() + pairMs
      else if (event.key === '?') latest.current.onKeys()
      else if (event.key === '/') focusSearch(event)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate])
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>('input[type="search"]')
  if (field === null) return
  event.preventDefault()
  field.focus()
}
