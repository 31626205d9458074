import type { ClockChangeView, Outlook } from 'stint/client'
import { useTimeZone } from '../../data/preferences.tsx'
import { cx } from '../../ui/class-names.ts'
import { AwaitingIcon } from '../../ui/icons.tsx'
import { Ago, Time } from '../../ui/time.tsx'
import { changeText, clockText, dayText } from './zone-time.ts'

type Entry = { readonly at: Date; readonly change: ClockChangeView | null }

/** When it fires, by its own clocks and by those of whoever looks; changes of its clocks stand where they fall. */
export function NextFires(props: { readonly outlook: Outlook; readonly zone: string; readonly isOn: boolean }) {
  const { outlook, zone, isOn } = props
  const isHere = useTimeZone() === zone
  const entries: readonly Entry[] = [
    ...outlook.fires.map((at) => ({ at, change: null })),
    ...outlook.changes.map((change) => ({ at: change.at, change })),
  ].sort((a, b) => a.at.getTime() - b.at.getTime() || (a.change === null ? 1 : -1))
  if (outlook.fires.length === 0) return <p className="text-ink-2 py-3">It does not fire any more.</p>
  return (
    <table aria-label="Next fires" className={cx('w-full table-fixed', !isOn && 'text-ink-3')}>
      <thead>
        <tr className="text-ink-3 border-line h-7 border-b text-left text-[12px]">
          <th scope="col" className="w-[8.5rem] font-normal">
            {zone}
          </th>
          <th scope="col" className="w-[5rem] font-normal" aria-label="Time there" />
          <th scope="col" className="font-normal">
            {isHere ? <span className="sr-only">Here</span> : 'Here'}
          </th>
          <th scope="col" className="w-[5rem] text-right font-normal">
            In
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ at, change }) =>
          change === null ? (
            <tr key={at.getTime()} className="border-line h-[27px] border-b">
              <td className="whitespace-nowrap">{dayText(zone, at)}</td>
              <td className="font-semibold">{clockText(zone, at)}</td>
              <td className="text-ink-2">{!isHere && <Time at={at} />}</td>
              <td className="text-right">
                <Ago at={at} />
              </td>
            </tr>
          ) : (
            <ChangeRow key={`change ${at.getTime()}`} change={change} zone={zone} />
          ),
        )}
      </tbody>
    </table>
  )
}

function ChangeRow({ change, zone }: { readonly change: ClockChangeView; readonly zone: string }) {
  const { what, effect } = changeText(change)
  return (
    <tr className={cx('border-line border-b', effect === null ? 'text-ink-3' : 'text-warn')} data-clock-change>
      <td className="py-1 align-top whitespace-nowrap">{dayText(zone, change.at)}</td>
      <td colSpan={3} className="py-1">
        <span className="inline-flex items-start gap-1.5">
          <span className="pt-0.5">
            <AwaitingIcon size={13} />
          </span>
          <span>
            {what}
            {effect === null ? '.' : `; ${effect}.`}
          </span>
        </span>
      </td>
    </tr>
  )
}
