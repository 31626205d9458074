import { useSyncExternalStore } from 'react'
import { useLiveState } from '../data/live-context.tsx'
import { cx } from '../ui/class-names.ts'

function onNetwork(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

const states = {
  live: ['Live', 'bg-ok'],
  connecting: ['Connecting …', 'bg-ink-3'],
  polling: ['Reconnecting: every 5 s', 'bg-warn'],
  paused: ['Paused', 'bg-ink-3'],
  offline: ['Offline', 'bg-fail'],
} as const

/** Whether what is shown is what is. */
export function Connection() {
  const isOnline = useSyncExternalStore(onNetwork, () => navigator.onLine)
  const live = useLiveState()
  const [label, tone] = states[isOnline ? live : 'offline']
  return (
    <p role="status" className="flex h-6 items-center gap-2 px-2" data-live={isOnline ? live : 'offline'}>
      <span className={cx('size-1.5 rounded-full', tone)} />
      {label}
    </p>
  )
}
