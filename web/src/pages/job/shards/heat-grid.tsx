import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react'
import type { IncrementalTaskState } from 'stint/client'
import { usePreferences } from '../../../data/preferences.tsx'
import { useWidth } from '../../../ui/use-width.ts'
import { drawGrid } from './draw-grid.ts'
import type { TaskSelection } from './use-selection.ts'
import { standingOfTask } from './use-tasks.ts'

export interface HeatGridProps {
  readonly tasks: readonly IncrementalTaskState[]
  /** The task that is shown beside it. */
  readonly shown: number | null
  readonly onShow: (index: number) => void
  /** Without it, nothing can be selected. */
  readonly selection?: TaskSelection
}

/** Cells are as large as there is room for. */
function cellOf(count: number): number {
  return count <= 400 ? 18 : count <= 2_500 ? 12 : 7
}

/**
 * One cell for each task: whether it is done, how far it is, what went wrong. Ten thousand are one drawing. A click shows and
 * selects a task, with Shift all up to it, with Ctrl or ⌘ one more; arrows move, Space or x selects, Enter shows, Esc selects none.
 */
export function HeatGrid({ tasks, shown, onShow, selection }: HeatGridProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [room, width] = useWidth<HTMLDivElement>()
  const { colours } = usePreferences()
  /** Where the keys are; null while they are elsewhere. */
  const [at, setAt] = useState<number | null>(null)
  const size = cellOf(tasks.length)
  const columns = Math.max(1, Math.floor(width / size))
  const height = Math.ceil(tasks.length / columns) * size
  const current = at ?? shown
  const selected = selection?.indexes ?? none
  useEffect(() => {
    void colours
    const element = canvas.current
    if (element !== null && width > 0) drawGrid(element, { tasks, current, selected, size, columns, width, height })
  }, [tasks, current, selected, size, columns, width, height, colours])
  const indexAt = (event: MouseEvent) => {
    const column = Math.floor(event.nativeEvent.offsetX / size)
    const index = Math.floor(event.nativeEvent.offsetY / size) * columns + column
    return column < columns && index < tasks.length ? index : null
  }
  const onClick = (event: MouseEvent) => {
    const index = indexAt(event)
    if (index === null) return
    if (selection !== undefined) setAt(index)
    if (selection !== undefined && event.shiftKey) return selection.reach(index)
    if (selection !== undefined && (event.ctrlKey || event.metaKey)) return selection.toggle(index)
    selection?.only(index)
    onShow(index)
  }
  const drawing = (
    <canvas
      ref={canvas}
      role="img"
      className="block"
      aria-label={summaryOf(tasks)}
      style={{ width: '100%', height }}
      onClick={onClick}
      onMouseMove={(event) => {
        const index = indexAt(event)
        event.currentTarget.title = index === null ? '' : `task ${index}`
      }}
    />
  )
  if (selection === undefined) return <div ref={room}>{drawing}</div>
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is a drawing that takes keys; the table below it has a checkbox for each task.
    <div
      ref={room}
      role="group"
      aria-label="Tasks to select"
      tabIndex={0}
      onFocus={() => setAt((before) => before ?? shown ?? 0)}
      onBlur={() => setAt(null)}
      onKeyDown={(event) => onKey(event, { at: at ?? 0, last: tasks.length - 1, columns, setAt, onShow, selection })}
    >
      {drawing}
      <p className="sr-only" aria-live="polite">
        {at === null ? '' : cellText(tasks[at], selected.has(at))}
      </p>
    </div>
  )
}

const none: ReadonlySet<number> = new Set()

interface Keyed {
  readonly at: number
  readonly last: number
  readonly columns: number
  readonly setAt: (index: number) => void
  readonly onShow: (index: number) => void
  readonly selection: TaskSelection
}

function onKey(event: KeyboardEvent, { at, last, columns, setAt, onShow, selection }: Keyed): void {
  if (event.metaKey || event.ctrlKey || event.altKey) return
  const move = (to: number) => {
    if (to < 0 || to > last) return
    setAt(to)
    if (event.shiftKey) selection.reach(to)
  }
  const steps: Readonly<Record<string, () => void>> = {
    ArrowRight: () => move(at + 1),
    ArrowLeft: () => move(at - 1),
    ArrowDown: () => move(at + columns),
    ArrowUp: () => move(at - columns),
    Home: () => move(0),
    End: () => move(last),
    ' ': () => selection.toggle(at),
    x: () => selection.toggle(at),
    Enter: () => onShow(at),
    Escape: () => selection.set([]),
  }
  const step = steps[event.key]
  if (step === undefined) return
  event.preventDefault()
  step()
}

function cellText(task: IncrementalTaskState | undefined, isSelected: boolean): string {
  return task === undefined ? '' : `Task ${task.index}, ${standingOfTask(task)}${isSelected ? ', selected' : ''}`
}

function summaryOf(tasks: readonly IncrementalTaskState[]): string {
  const counts = Map.groupBy(tasks, standingOfTask)
  const parts = [...counts].map(([standing, own]) => `${own.length} ${standing}`)
  return `${tasks.length} tasks: ${parts.join(', ')}`
}
