import { type MouseEvent, useEffect, useRef } from 'react'
import type { IncrementalTaskState } from 'stint/client'
import { usePreferences } from '../../../data/preferences.tsx'
import { useWidth } from '../../../ui/use-width.ts'
import { standingOfTask } from './use-tasks.ts'

/** Cells are as large as there is room for. */
function cellOf(count: number): number {
  return count <= 400 ? 18 : count <= 2_500 ? 12 : 7
}

/** One cell for each task: whether it is done, how far it is, what went wrong. Ten thousand are one drawing. */
export function HeatGrid(props: {
  readonly tasks: readonly IncrementalTaskState[]
  readonly selected: number | null
  readonly onSelect: (index: number) => void
}) {
  const { tasks, selected, onSelect } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const [room, width] = useWidth<HTMLDivElement>()
  const { colours } = usePreferences()
  const size = cellOf(tasks.length)
  const columns = Math.max(1, Math.floor(width / size))
  const height = Math.ceil(tasks.length / columns) * size
  useEffect(() => {
    void colours
    const element = canvas.current
    if (element !== null && width > 0) draw(element, { tasks, selected, size, columns, width, height })
  }, [tasks, selected, size, columns, width, height, colours])
  const indexAt = (event: MouseEvent) => {
    const column = Math.floor(event.nativeEvent.offsetX / size)
    const index = Math.floor(event.nativeEvent.offsetY / size) * columns + column
    return column < columns && index < tasks.length ? index : null
  }
  return (
    <div ref={room}>
      <canvas
        ref={canvas}
        role="img"
        className="block"
        aria-label={summaryOf(tasks)}
        style={{ width: '100%', height }}
        onClick={(event) => {
          const index = indexAt(event)
          if (index !== null) onSelect(index)
        }}
        onMouseMove={(event) => {
          const index = indexAt(event)
          event.currentTarget.title = index === null ? '' : `task ${index}`
        }}
      />
    </div>
  )
}

interface Drawing {
  readonly tasks: readonly IncrementalTaskState[]
  readonly selected: number | null
  readonly size: number
  readonly columns: number
  readonly width: number
  readonly height: number
}

function draw(canvas: HTMLCanvasElement, { tasks, selected, size, columns, width, height }: Drawing): void {
  const scale = devicePixelRatio
  canvas.width = width * scale
  canvas.height = height * scale
  const context = canvas.getContext('2d')
  if (context === null) return
  context.scale(scale, scale)
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(`--color-${name}`).trim()
  const [ok, run, fail, line, ink] = [colour('ok'), colour('run'), colour('fail'), colour('line'), colour('ink')]
  const edge = size > 8 ? 2 : 1
  tasks.forEach((task, i) => {
    const [x, y] = [(i % columns) * size, Math.floor(i / columns) * size]
    const side = size - edge
    const standing = standingOfTask(task)
    context.globalAlpha = 1
    context.fillStyle = line
    context.fillRect(x, y, side, side)
    if (standing === 'done' || standing === 'running') {
      const [did = 0, of = 0] = task.progress ?? []
      context.globalAlpha = standing === 'done' ? 0.75 : 0.3 + (of > 0 ? (0.7 * did) / of : 0.2)
      context.fillStyle = standing === 'done' ? ok : run
      context.fillRect(x, y, side, side)
    } else if (standing === 'failed') {
      context.fillStyle = fail
      context.fillRect(x, y, side, side)
    } else if (standing === 'aborted') {
      context.clearRect(x + 1, y + 1, side - 2, side - 2)
    }
    if (i === selected) {
      context.globalAlpha = 1
      context.strokeStyle = ink
      context.lineWidth = 2
      context.strokeRect(x, y, side, side)
    }
  })
}

function summaryOf(tasks: readonly IncrementalTaskState[]): string {
  const counts = Map.groupBy(tasks, standingOfTask)
  const parts = [...counts].map(([standing, own]) => `${own.length} ${standing}`)
  return `${tasks.length} tasks: ${parts.join(', ')}`
}
