/** Drawings of the documentation as data: what stands where. `svg.ts` draws them, and a test looks for what is not legible. */

export interface Drawing {
  readonly title: string
  readonly width: number
  readonly height: number
  readonly boxes: readonly Box[]
  readonly arrows: readonly Arrow[]
  readonly notes?: readonly Note[]
}

/** What colour says, beside the words: never alone. */
export type Kind = 'plain' | 'own' | 'good' | 'bad' | 'quiet'

export interface Box {
  readonly at: Point
  readonly size: readonly [width: number, height: number]
  /** The first is the name, the others explain it. */
  readonly lines: readonly string[]
  readonly kind: Kind
}

export interface Arrow {
  readonly path: readonly [Point, Point, ...Point[]]
  /** Dashed: what does not happen each time. */
  readonly isDashed?: boolean
}

export interface Note {
  readonly at: Point
  readonly text: string
  readonly anchor?: 'start' | 'middle' | 'end'
}

export type Point = readonly [x: number, y: number]

export interface Area {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly what: string
}

export const fontSize = { name: 14, line: 12, note: 12, title: 15 } as const

/** A little wider than the fonts that are likely: what fits here fits there. */
const [perCharacter, perBoldCharacter] = [0.56, 0.62]

export function lineHeight(i: number): number {
  return i === 0 ? 18 : 16
}

/** Where the lines of a box stand: in its middle, one below the other. */
export function baselines({ at: [, y], size: [, height], lines }: Box): readonly number[] {
  const total = lines.reduce((sum, _, i) => sum + lineHeight(i), 0)
  let next = y + (height - total) / 2
  return lines.map((_, i) => {
    next += lineHeight(i)
    return next - 4
  })
}

/** What is wrong with a drawing: words that do not fit, things that lie over each other or outside. */
export function problemsOf({ width, height, boxes, arrows, notes = [] }: Drawing): readonly string[] {
  const areas = [...boxes.map(boxArea), ...notes.map(noteArea)]
  const outside = areas.filter((area) => area.left < 0 || area.top < 0 || area.right > width || area.bottom > height)
  const overlaps = areas.flatMap((one, i) => {
    return areas.slice(i + 1).flatMap((other) => (meet(one, other) ? [`${one.what} lies over ${other.what}`] : []))
  })
  const crossed = notes.map(noteArea).filter((area) => arrows.some(({ path }) => crosses(path, area)))
  return [
    ...boxes.flatMap(tooWide),
    ...outside.map(({ what }) => `${what} is not inside`),
    ...overlaps,
    ...crossed.map(({ what }) => `an arrow goes through ${what}`),
  ]
}

function tooWide({ size: [width, height], lines }: Box): readonly string[] {
  const tall = lines.reduce((sum, _, i) => sum + lineHeight(i), 0) + 6
  return [
    ...lines.filter((text, i) => widthOf(text, i === 0) + 12 > width).map((text) => `"${text}" is wider than its box`),
    ...(tall > height ? [`"${lines[0]}" has more lines than its box`] : []),
  ]
}

function widthOf(text: string, isName: boolean): number {
  return text.length * (isName ? fontSize.name * perBoldCharacter : fontSize.line * perCharacter)
}

function boxArea({ at: [x, y], size: [width, height], lines }: Box): Area {
  return { left: x, right: x + width, top: y, bottom: y + height, what: `"${lines[0]}"` }
}

function noteArea({ at: [x, y], text, anchor = 'start' }: Note): Area {
  const width = text.length * fontSize.note * perCharacter
  const left = x - { start: 0, middle: width / 2, end: width }[anchor]
  return { left, right: left + width, top: y - fontSize.note, bottom: y + 3, what: `"${text}"` }
}

function meet(one: Area, other: Area): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}

/** Whether a line of several pieces goes through an area; looked at every two pixels. */
function crosses(path: Arrow['path'], { left, right, top, bottom }: Area): boolean {
  return path.slice(1).some(([toX, toY], i) => {
    const [fromX, fromY] = path[i] ?? path[0]
    const steps = Math.ceil(Math.hypot(toX - fromX, toY - fromY) / 2)
    return Array.from({ length: steps + 1 }, (_, step) => step / steps).some((part) => {
      const [x, y] = [fromX + (toX - fromX) * part, fromY + (toY - fromY) * part]
      return left < x && x < right && top < y && y < bottom
    })
  })
}
