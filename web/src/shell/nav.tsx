import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePreferences, useTimeZone } from '../data/preferences.tsx'
import { useSession } from '../data/session.tsx'
import { type Page, pages } from '../pages/pages.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { MenuIcon, SearchIcon } from '../ui/icons.tsx'
import { Brand } from './brand.tsx'
import { Connection } from './connection.tsx'
import { useNarrow } from './use-narrow.ts'

const groups = ['Work', 'Plan', 'Watch', 'Run'] as const

interface NavProps {
  readonly onPalette: () => void
  readonly onKeys: () => void
  readonly onSubmit: () => void
}

/** Beside the page; where there is no room for that, a line above it, which opens the same. */
export function Nav(props: NavProps) {
  return useNarrow() ? <NavLine {...props} /> : <NavColumn {...props} />
}

function NavColumn({ onPalette, onSubmit, onKeys }: NavProps) {
  const { may } = useSession()
  return (
    <header className="border-line bg-panel flex min-h-0 flex-col overflow-y-auto border-r px-3 pt-4 pb-3">
      <div className="px-2">
        <Brand />
      </div>
      <GoTo onClick={onPalette} className="mt-4" />
      {may('submit') && (
        <Button className="mt-1.5 px-2!" onClick={onSubmit}>
          Submit a job
        </Button>
      )}
      <NavList className="mt-4 flex-1" />
      <footer className="border-line mt-4 border-t pt-2.5 text-[12px]">
        <Connection />
        <Switches onKeys={onKeys} />
      </footer>
    </header>
  )
}

function NavLine({ onPalette, onSubmit, onKeys }: NavProps) {
  const { may } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <header className="border-line bg-panel flex h-11 items-center gap-3 border-b px-4">
      <Button kind="quiet" className="-ml-2 px-2!" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        <MenuIcon size={16} />
        <span className="sr-only">Menu</span>
      </Button>
      <Brand />
      <div className="flex-1 text-[12px]">
        <Connection />
      </div>
      <GoTo onClick={onPalette} className="w-40" />
      {may('submit') && <Button onClick={onSubmit}>Submit a job</Button>}
      {isOpen && (
        <Dialog title="Menu" side onClose={close}>
          <NavList className="px-2 py-3" onGo={close} />
          <footer className="border-line mx-2 border-t py-2.5 text-[12px]">
            <Switches
              onKeys={() => {
                close()
                onKeys()
              }}
            />
          </footer>
        </Dialog>
      )}
    </header>
  )
}

function GoTo({ onClick, className }: { readonly onClick: () => void; readonly className: string }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx(
        'border-line-strong text-ink-3 hover:border-ink-3 bg-paper flex h-7 shrink-0 items-center gap-1.5 rounded-[3px] border px-2',
        className,
      )}
    >
      <SearchIcon size={13} />
      <span className="flex-1 text-left">Go to …</span>
      <kbd className="text-[11px]">⌘K</kbd>
    </button>
  )
}

function NavList({ className, onGo }: { readonly className: string; readonly onGo?: () => void }) {
  return (
    <nav aria-label="Pages" className={cx('space-y-3.5', className)}>
      {groups.map((group) => (
        <ul key={group} aria-label={group}>
          {pages
            .filter((page) => page.group === group)
            .map((page) => (
              <NavItem key={page.path} page={page} {...(onGo && { onGo })} />
            ))}
        </ul>
      ))}
    </nav>
  )
}

function NavItem({ page: { path, label, key }, onGo }: { readonly page: Page; readonly onGo?: () => void }) {
  return (
    <li>
      <Link
        to={path}
        {...(onGo && { onClick: onGo })}
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

/** What is shown how, and to whom. */
function Switches({ onKeys }: { readonly onKeys: () => void }) {
  const { theme, zone, setTheme, setZone } = usePreferences()
  const { access, key, signOut } = useSession()
  const zoneName = useTimeZone()
  return (
    <div className="space-y-0.5">
      <Switch label="Time zone" value={zoneName} onClick={() => setZone(zone === 'local' ? 'utc' : 'local')} />
      <Switch label="Colours" value={theme} onClick={() => setTheme(themes[theme])} />
      <Switch label="Keys" value="?" onClick={onKeys} />
      <p className="text-ink-3 truncate px-2 pt-1" title={access.path === null ? undefined : `Reaches ${access.path}`}>
        {access.actor} · {access.role}
      </p>
      {key !== null && <Switch label="Sign out" value="" onClick={signOut} />}
    </div>
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
      className="text-ink-2 hover:bg-ink/5 hover:text-ink flex h-6 w-full items-center justify-between gap-2 rounded-[3px] px-2"
    >
      {label}
      <span className="text-ink-3 truncate">{value}</span>
    </button>
  )
}
