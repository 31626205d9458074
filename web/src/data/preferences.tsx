import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { recall, remember } from './stored.ts'

export type Theme = 'light' | 'dark' | 'system'
/** Of the one who looks, or UTC. */
export type Zone = 'local' | 'utc'

export interface Preferences {
  readonly theme: Theme
  readonly zone: Zone
  setTheme(theme: Theme): void
  setZone(zone: Zone): void
}

const PreferencesContext = createContext<Preferences | null>(null)

const prefersDark = matchMedia('(prefers-color-scheme: dark)')

/** Before anything is drawn, so that nobody sees the other colours first. */
export function applyTheme(theme: Theme = themeOf(recall('theme'))): void {
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark.matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
}

function themeOf(text: string | null): Theme {
  return text === 'light' || text === 'dark' ? text : 'system'
}

export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [theme, setTheme] = useState(() => themeOf(recall('theme')))
  const [zone, setZone] = useState<Zone>(() => (recall('zone') === 'utc' ? 'utc' : 'local'))
  useEffect(() => {
    remember('theme', theme === 'system' ? null : theme)
    applyTheme(theme)
    const onChange = () => applyTheme(theme)
    prefersDark.addEventListener('change', onChange)
    return () => prefersDark.removeEventListener('change', onChange)
  }, [theme])
  useEffect(() => remember('zone', zone), [zone])
  const preferences = useMemo(() => ({ theme, zone, setTheme, setZone }), [theme, zone])
  return <PreferencesContext value={preferences}>{children}</PreferencesContext>
}

export function usePreferences(): Preferences {
  const preferences = use(PreferencesContext)
  if (preferences === null) throw new Error('There are no preferences here.')
  return preferences
}

/** The zone in which times are shown. */
export function useTimeZone(): string {
  const { zone } = usePreferences()
  return zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone
}
