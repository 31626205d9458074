import type { IncrementalTaskState } from 'stint/client'
import { standingOfTask } from './use-tasks.ts'

export interface Drawing {
  readonly tasks: readonly IncrementalTaskState[]
  /** The task that is looked at, in the pane or with the keys. */
  readonly current: number | null
  readonly selected: ReadonlySet<number>
  readonly size: number
  readonly columns: number
  readonly width: number
  readonly height: number
}

/** One cell for each task, then frames around those that are selected and the one that is looked at. */
export function drawGrid(canvas: HTMLCanvasElement, drawing: Drawing): void {
  const { tasks, current, selected, size, columns, width, height } = drawing
  const scale = devicePixelRatio
  canvas.width = width * scale
  canvas.height = height * scale
  const context = canvas.getContext('2d')
  if (context === null) return
  context.scale(scale, scale)
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(`--color-${name}`).trim()
  const [ok, run, fail, line] = [colour('ok'), colour('run'), colour('fail'), colour('line')]
  const side = size - (size > 8 ? 2 : 1)
  const place = (i: number) => [(i % columns) * size, Math.floor(i / columns) * size] as const
  tasks.forEach((task, i) => {
    const [x, y] = place(i)
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
  })
  context.globalAlpha = 1
  context.lineWidth = 2
  const frame = (i: number, inset: number) => {
    const [x, y] = place(i)
    context.strokeRect(x + inset, y + inset, side - 2 * inset, side - 2 * inset)
  }
  context.strokeStyle = colour('ink')
  if (current !== null) frame(current, 0)
  // Inside of the other: a task can be both.
  context.strokeStyle = colour('accent')
  for (const index of selected) frame(index, 1)
}
