import { cut, harmless, padded, widthOf } from '../output/text.ts'
import { durationText } from '../output/times.ts'
import { percent } from '../shapes/job.ts'
import { iconOf, painted } from '../shapes/status.ts'
import type { Screen } from '../terminal.ts'
import type { Watched } from './watched.ts'

const barWidth = 20
const nameMax = 40

/** A bar of twenty columns, in steps of an eighth. */
export function barText(done: number, total: number): string {
  const eighths = Math.round((total <= 0 ? 0 : Math.min(1, done / total)) * barWidth * 8)
  const full = Math.floor(eighths / 8)
  const part = eighths % 8 === 0 ? '' : (['▏', '▎', '▍', '▌', '▋', '▊', '▉'][(eighths % 8) - 1] ?? '')
  return `${'█'.repeat(full)}${part}`.padEnd(barWidth, '░')
}

/** The lines of some things, each with its parts below it. */
export function watchedLines(things: readonly Watched[], screen: Screen): readonly string[] {
  const rows = things.flatMap((thing) => [
    { thing, depth: 0 },
    ...thing.parts.map((part) => ({ thing: part, depth: 1 })),
  ])
  const names = rows.map(({ thing, depth }) => `${'  '.repeat(depth)}${iconOf(thing.status)} ${harmless(thing.name)}`)
  const width = Math.min(Math.max(...names.map(widthOf)), Math.min(nameMax, Math.floor(screen.columns / 2)))
  return rows.map(({ thing }, i) => lineOf(thing, padded(cut(names[i] ?? '', width), width), screen))
}

function lineOf(thing: Watched, name: string, screen: Screen): string {
  const { colors } = screen
  const { status, progress, startedAt, finishedAt, isOver } = thing
  const bar =
    progress === null || progress.total === null
      ? ''
      : `${barText(progress.done, progress.total)} ${padded(percent(progress.done, progress.total), 5, 'right')}`
  const counted = progress !== null && progress.total === null ? String(progress.done) : ''
  const took = startedAt === null ? '' : durationText((finishedAt ?? new Date()).getTime() - startedAt.getTime())
  const rest = [...(bar === '' ? [status] : []), counted, took, harmless(thing.note)]
    .filter((text) => text !== '')
    .join('  ')
  const room = screen.columns - widthOf(name) - (bar === '' ? 0 : widthOf(bar) + 2) - 2
  const barPainted = bar === '' ? '' : `${painted(bar, isOver ? status : 'RUNNING', colors)}  `
  return `${painted(name, status, colors)}  ${barPainted}${colors.dim(cut(rest, Math.max(4, room)))}`
}

/** One line for where nothing can be drawn over. */
export function changeText(thing: Watched): string {
  const { name, status, progress, note } = thing
  const far =
    progress === null
      ? ''
      : progress.total === null
        ? ` ${progress.done}`
        : ` ${percent(progress.done, progress.total)}`
  return `${new Date().toLocaleTimeString('sv')} ${harmless(name)} ${status}${far}${note === '' ? '' : `  ${harmless(note)}`}`
}
