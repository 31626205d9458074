import { Link } from '@tanstack/react-router'
import { usePreferences, useTimeZone } from '../data/preferences.tsx'
import { useSession } from '../data/session.tsx'
import { type Page, pages } from '../pages/pages.ts'
import { cx } from '../ui/class-names.ts'
import { SearchIcon } from '../ui/icons.tsx'
import { Brand } from './brand.tsx'
import { Connection } from './connection.tsx'

const groups = ['Work', 'Plan', 'Watch', 'Run'] as const

export function Nav(props: {
  readonly onPalette: () => void
  readonly onKeys: () => void
  readonly onSubmit: () => void
}) {
  const { may } = useSession()
  return (
    <header className="border-line bg-panel flex min-h-0 flex-col overflow-y-auto border-r px-3 pt-4 pb-3 max-md:border-r-0 max-md:border-b">
      <div className="px-2">
        <Brand />
      </div>
      <button
        type="button"
        onClick={props.onPalette}
        className="border-line-strong text-ink-3 hover:border-ink-3 bg-paper mt-4 flex h-7 items-center gap-1.5 rounded-[3px] border px-2"
      >
        <SearchIcon size={13} />
        <span className="flex-1 text-left">Go to …</span>
        <kbd className="text-[11px]">⌘K</kbd>
      </button>
      {may('submit') && (
        <button
          type="button"
          onClick={props.onSubmit}
          className="border-line-strong hover:border-ink-3 bg-raise mt-1.5 h-7 rounded-[3px] border px-2 text-left"
        >
          Submit a job
        </button>
      )}
      <nav
        aria-label="Pages"
        className="mt-4 flex-1 space-y-3.5 max-md:flex max-md:flex-wrap max-md:gap-x-4 max-md:space-y-0"
      >
        {groups.map((group) => {
          const own = pages.filter((page) => page.group === group)
          return own.length === 0 ? null : (
            <ul key={group} aria-label={group}>
              {own.map((page) => (
                <NavItem key={page.path} page={page} />
              ))}
            </ul>
          )
        })}
      </nav>
      <Footer onKeys={props.onKeys} />
    </header>
  )
}

function NavItem({ page: { path, label, key } }: { readonly page: Page }) {
  return (
    <li>
      <Link
        to={path}
        search={{} as never}
        activeOptions={{ exact: path === '/', includeSearch: false }}
        className="group text-ink-2 hover:text-ink flex h-[26px] items-center justify-between rounded-[3px] px-2"
        activeProps={{ className: 'bg-ink/8 text-ink! font-semibold' }}
      >
        {label}
        {key !== undefined && (
          <kbd className="text-ink-3 hidden text-[11px] font-normal group-hover:inline">g {key}</kbd>
        )}
      </Link>
    </li>
  )
}

const themes = { system: 'light', light: 'dark', dark: 'system' } as const

function Footer({ onKeys }: { readonly onKeys: () => void }) {
  const { theme, zone, setTheme, setZone } = usePreferences()
  const { access, key, signOut } = useSession()
  const zoneName = useTimeZone()
  return (
    <footer className="border-line mt-4 space-y-0.5 border-t pt-2.5 text-[12px]">
      <Connection />
      <Switch label="Time zone" value={zoneName} onClick={() => setZone(zone === 'local' ? 'utc' : 'local')} />
      <Switch label="Colours" value={theme} onClick={() => setTheme(themes[theme])} />
      <Switch label="Keys" value="?" onClick={onKeys} />
      <p className="text-ink-3 truncate px-2 pt-1" title={access.path === null ? undefined : `Reaches ${access.path}`}>
        {access.actor} · {access.role}
      </p>
      {key !== null && <Switch label="Sign out" value="" onClick={signOut} />}
    </footer>
  )
}

function Switch({
  label,
  value,
  onClick,
}: {
  readonly label: string
  readonly value: string
  readonly onClick: () => void
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx(
        'text-ink-2 hover:bg-ink/5 hover:text-ink flex h-6 w-full items-center justify-between gap-2 rounded-[3px] px-2',
      )}
    >
      {label}
      <span className="text-ink-3 truncate">{value}</span>
    </button>
  )
}
