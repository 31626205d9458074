import { useState } from 'react'
import type { LimitRow } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { CopyAsMenu } from '../../actions/copy-as-menu.tsx'
import { removeLimit, setLimit } from '../../actions/limits.ts'
import { pause, resume } from '../../actions/pauses.ts'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/class-names.ts'
import { PausedIcon } from '../../ui/icons.tsx'
import { PathText } from '../../ui/job-link.tsx'
import { Count, numberText } from '../../ui/number.tsx'
import { Rows } from '../../ui/rows.tsx'
import { PageBody, PageHead, Section } from '../../ui/section.tsx'
import { Answer, Empty } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { durationText } from '../../ui/time-text.ts'
import { LimitDialog } from './limit-dialog.tsx'
import { PauseDialog } from './pause-dialog.tsx'

/** Pauses and limits are in no log: they are asked for. */
const asked = { refetchInterval: 3_000 }

export default function LimitsPage() {
  const { may } = useSession()
  const [open, setOpen] = useState<'pause' | LimitRow | 'limit' | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <PageHead title="Limits and pauses">
        {may('admin') && (
          <>
            <Button onClick={() => setOpen('pause')}>Pause …</Button>
            <Button onClick={() => setOpen('limit')}>Set a limit …</Button>
          </>
        )}
        <CopyAsMenu
          actions={[
            pause({ path: '/reports' }, 'the printer is being repaired'),
            resume({ path: '/reports' }),
            setLimit({ key: 'customer:42', concurrency: 2, rate: '100/min' }),
          ]}
        />
      </PageHead>
      <PageBody>
        <div className="space-y-7">
          <Pauses />
          <Limits onEdit={setOpen} />
        </div>
      </PageBody>
      {open === 'pause' && <PauseDialog onClose={close} />}
      {open === 'limit' && <LimitDialog limit={null} onClose={close} />}
      {open !== null && typeof open === 'object' && <LimitDialog limit={open} onClose={close} />}
    </>
  )
}

function Pauses() {
  const { client, may } = useSession()
  const pauses = useLiveQuery({ queryKey: ['pauses'], queryFn: () => client.pauses.list(), ...asked })
  return (
    <Section title="Paused" aside="what runs goes on; nothing new starts">
      <Answer query={pauses} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              title="Nothing is paused."
              snippet="await stint.pause('/reports', { reason: 'until the disk is back' })"
            >
              A branch of the tree, or a type of jobs, can be paused: what runs goes on, and nothing of it starts until
              it is resumed.
            </Empty>
          ) : (
            <Rows
              label="Paused"
              head={['What', 'Kind', 'Why', ['Since', 'right'], ['', 'right']]}
              widths={['30%', '5rem', 'auto', '6rem', may('admin') ? '6rem' : '0']}
              rows={items.map(({ path, type, reason, since }) => [
                `${path} ${type}`,
                <span key="what" className="inline-flex items-center gap-1.5 align-middle">
                  <span className="text-warn">
                    <PausedIcon size={13} />
                  </span>
                  <code title={path ?? type ?? ''}>{path === null ? type : <PathText path={path} />}</code>
                </span>,
                <span key="kind" className="text-ink-3">
                  {path === null ? 'type' : 'branch'}
                </span>,
                reason ?? <span className="text-ink-3">no reason given</span>,
                <Ago key="since" at={since} />,
                <span key="resume" className="inline-flex align-middle [&_button]:h-6">
                  <ActionButton action={resume(path === null ? { type: type ?? '' } : { path })} />
                </span>,
              ])}
            />
          )
        }
      </Answer>
    </Section>
  )
}

function Limits({ onEdit }: { readonly onEdit: (limit: LimitRow) => void }) {
  const { client, may } = useSession()
  const limits = useLiveQuery({ queryKey: ['limits'], queryFn: () => client.limits.list(), ...asked })
  return (
    <Section title="Limits" aside="a key that begins with a slash holds for a whole branch">
      <Answer query={limits} rows={4}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              title="There are no limits."
              snippet="await stint.limits.set('customer:42', { concurrency: 2, rate: '100/min' })"
            >
              A limit says how many attempts may be open at once and how many may start within a time. Jobs name it with{' '}
              <code>limits</code>, or stand below its path.
            </Empty>
          ) : (
            <Rows
              label="Limits"
              head={['Key', 'At once', 'Rate', ['Wait at it', 'right'], ['', 'right']]}
              widths={['auto', '19%', '26%', '5.5rem', may('admin') ? '11rem' : '0']}
              rows={items.map((limit) => [
                limit.key,
                <code key="key" title={limit.key}>
                  {limit.key.startsWith('/') ? <PathText path={limit.key} /> : limit.key}
                </code>,
                <Gauge key="held" used={limit.held} of={limit.concurrency} />,
                <Gauge key="rate" used={limit.started} of={limit.rate?.count ?? null} unit={rateUnit(limit)} />,
                <span key="waiting" className={limit.waiting > 0 ? 'text-warn' : undefined}>
                  <Count value={limit.waiting} />
                </span>,
                may('admin') && (
                  <span key="actions" className="inline-flex gap-1.5 align-middle [&_button]:h-6">
                    <Button onClick={() => onEdit(limit)}>Change …</Button>
                    <ActionButton
                      kind="quiet"
                      action={removeLimit(limit.key)}
                      confirm={
                        <p>
                          <code>{limit.key}</code> is forgotten: jobs that waited at it may start.
                        </p>
                      }
                    />
                  </span>
                ),
              ])}
            />
          )
        }
      </Answer>
    </Section>
  )
}

function rateUnit({ rate }: LimitRow): string {
  return rate === null ? '' : ` in ${durationText(rate.perMs)}`
}

/** How much of something is used. Full is worth a colour: it is why others wait. */
function Gauge({ used, of, unit = '' }: { readonly used: number; readonly of: number | null; readonly unit?: string }) {
  if (of === null) return <span className="text-ink-3">any number</span>
  const share = of === 0 ? 1 : Math.min(1, used / of)
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden="true" className="bg-line h-1.5 w-20 overflow-hidden rounded-full max-lg:w-10">
        <span className={cx('block h-full', share >= 1 ? 'bg-warn' : 'bg-run')} style={{ width: `${share * 100}%` }} />
      </span>
      <span className={cx('whitespace-nowrap', share >= 1 && 'text-warn')}>
        {numberText(used)} of {numberText(of)}
        {unit}
      </span>
    </span>
  )
}
