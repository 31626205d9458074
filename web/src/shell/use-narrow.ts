import { useSyncExternalStore } from 'react'

/** Below this the navigation would take a quarter of the window from what people came for. */
const narrow = matchMedia('(width < 58rem)')

function onChange(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

export function useNarrow(): boolean {
  return useSyncExternalStore(onChange, () => narrow.matches)
}
