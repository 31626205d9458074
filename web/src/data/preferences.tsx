import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { recall, remember } from './stored.ts'

export type Theme = 'light' | 'dark' | 'system'
/** Of the one who looks, or UTC. */
export type Zone = 'local' | 'utc'

export interface Preferences {
  readonly theme: Theme
  /** What that means at the moment. Whatever is drawn by script has to be drawn again when it changes. */
  readonly colours: 'light' | 'dark'
  readonly zone: Zone
  setTheme(theme: Theme): void
  setZone(zone: Zone): void
}

const PreferencesContext = createContext<Preferences | null>(null)

const prefersDark = matchMedia('(prefers-color-scheme: dark)')

/** Before anything is drawn, so that nobody sees the other colours first. */
export function applyTheme(theme: Theme = themeOf(recall('theme'))): 'light' | 'dark' {
  const isDark = theme === 'dark' || (theme === 'system' && prefersDark.matches)
  const colours = isDark ? 'dark' : 'light'
  document.documentElement.dataset['theme'] = colours
  return colours
}

function themeOf(text: string | null): Theme {
  return text === 'light' || text === 'dark' ? text : 'system'
}

export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [theme, setTheme] = useState(() => themeOf(recall('theme')))
  const [zone, setZone] = useState<Zone>(() => (recall('zone') === 'utc' ? 'utc' : 'local'))
  const [colours, setColours] = useState(() => applyTheme(theme))
  useEffect(() => {
    remember('theme', theme === 'system' ? null : theme)
    const onChange = () => setColours(applyTheme(theme))
    onChange()
    prefersDark.addEventListener('change', onChange)
    return () => prefersDark.removeEventListener('change', onChange)
  }, [theme])
  useEffect(() => remember('zone', zone), [zone])
  const preferences = useMemo(() => ({ theme, colours, zone, setTheme, setZone }), [theme, colours, zone])
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
