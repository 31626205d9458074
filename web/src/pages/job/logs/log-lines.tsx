import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { cx } from '../../../ui/class-names.ts'
import { Time } from '../../../ui/time.tsx'
import { spansOf } from './ansi.ts'
import type { Line } from './use-log.ts'

const lineHeight = 20

/** Lines of which only those in sight are there. Each number is a link to its line. */
export function LogLines(props: {
  readonly lines: readonly Line[]
  readonly isFollowing: boolean
  readonly marked: number | null
  readonly onMark: (seq: number) => void
  readonly onScrollUp: () => void
}) {
  const { lines, isFollowing, marked } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 30,
  })
  useEffect(() => {
    if (isFollowing && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: 'end' })
  }, [isFollowing, lines.length, virtual])
  // Once, when it is there: afterwards whoever reads scrolls as they like.
  const isShown = useRef(false)
  useEffect(() => {
    const index = lines.findIndex(({ seq }) => seq === marked)
    if (isShown.current || index === -1) return
    isShown.current = true
    virtual.scrollToIndex(index, { align: 'center' })
  }, [lines, marked, virtual])
  return (
    <section
      ref={scroller}
      tabIndex={0}
      aria-label="Log"
      className="min-h-0 flex-1 overflow-auto py-1 outline-offset-[-2px]"
      onWheel={(event) => event.deltaY < 0 && props.onScrollUp()}
    >
      <div className="relative min-w-max font-mono text-[12px] leading-5" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const line = lines[index]
          if (line === undefined) return null
          return (
            <div
              key={line.seq}
              className={cx('absolute flex w-full gap-4 px-6', line.seq === marked && 'bg-accent/15')}
              style={{ transform: `translateY(${start}px)` }}
            >
              <button
                type="button"
                tabIndex={-1}
                onClick={() => props.onMark(line.seq)}
                className="text-ink-3 w-12 shrink-0 text-right hover:underline"
                title="A link to this line"
              >
                {line.seq}
              </button>
              <span className="text-ink-3 shrink-0">
                <Time at={line.at} precise />
              </span>
              <span className="whitespace-pre">
                {spansOf(line.line).map(({ text, className }, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: spans of a line stay where they are.
                  <span key={i} className={className}>
                    {text}
                  </span>
                ))}
              </span>
            </div>
          )
        })}
      </div>
    </section>
  )
}
