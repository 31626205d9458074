import type { GroupView } from 'stint/client'
import { cx } from '../../ui/class-names.ts'
import { numberText } from '../../ui/number.tsx'

/** How far a group is: what went well, what did not, and what is left. */
export function GroupProgress({ counts, wide = false }: Pick<GroupView, 'counts'> & { readonly wide?: boolean }) {
  const { total, completed, failed, cancelled, skipped } = counts
  const over = completed + failed + cancelled + skipped
  const share = (count: number) => ({ width: `${total === 0 ? 0 : (count / total) * 100}%` })
  return (
    <span className="flex items-center gap-2">
      <span
        aria-hidden="true"
        className={cx('bg-line flex overflow-hidden rounded-full', wide ? 'h-2 flex-1' : 'h-1.5 w-24')}
      >
        <span className="bg-ok" style={share(completed)} />
        <span className="bg-fail" style={share(failed)} />
        <span className="bg-ink-3" style={share(cancelled + skipped)} />
      </span>
      <span className="text-ink-2 whitespace-nowrap">
        {numberText(over)} of {numberText(total)}
      </span>
      {failed > 0 && <span className="text-fail whitespace-nowrap">{numberText(failed)} failed</span>}
    </span>
  )
}
