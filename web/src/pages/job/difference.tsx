import type { Json } from 'stint/client'
import { cx } from '../../ui/class-names.ts'
import { differenceOf } from './line-difference.ts'

const signs = { same: ' ', gone: '−', new: '+' } as const
const styles = { same: 'text-ink-3', gone: 'bg-fail/10 text-fail', new: 'bg-ok/10 text-ok' } as const

/** Two values as lines of JSON, with what is only in one of them marked. */
export function Difference({ before, after }: { readonly before: Json; readonly after: Json }) {
  const lines = differenceOf(linesOf(before), linesOf(after))
  if (lines.every(({ kind }) => kind === 'same')) return <p className="text-ink-3">Nothing differs.</p>
  return (
    <pre
      tabIndex={0}
      className="border-line bg-panel max-h-[32rem] overflow-auto rounded-[3px] border py-2 leading-[1.55]"
    >
      {lines.map(({ kind, text }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name than their place.
        <span key={i} className={cx('block px-3', styles[kind])}>
          {signs[kind]} {text}
        </span>
      ))}
    </pre>
  )
}

function linesOf(value: Json): readonly string[] {
  return JSON.stringify(value, null, 2).split('\n')
}
