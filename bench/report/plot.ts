/** Plots as SVG, by hand: small files that follow the reader's light or dark page. */

export interface Bar {
  readonly label: string
  readonly value: number
  readonly spread: readonly [number, number]
  readonly kind: Kind
}

export interface Line {
  readonly label: string
  readonly kind: Kind
  /** One for each name on the axis. */
  readonly values: readonly number[]
}

/** Ours, the bare loop that writes the same rows, or somebody else's. */
export type Kind = 'own' | 'limit' | 'peer'

interface Palette extends Readonly<Record<Kind, string>> {
  readonly text: string
  readonly quiet: string
  readonly grid: string
}

const light: Palette = {
  ...{ text: '#1f2328', quiet: '#59636e', grid: '#d1d9e0' },
  ...{ own: '#0969da', limit: '#8c959f', peer: '#bc4c00' },
}
const dark: Palette = {
  ...{ text: '#f0f6fc', quiet: '#9198a1', grid: '#3d444d' },
  ...{ own: '#4493f8', limit: '#656c76', peer: '#db6d28' },
}

/** Plain rules for each colour: not everything that shows an SVG knows variables. */
function colours({ text, quiet, grid, ...kinds }: Palette): string {
  const own = Object.entries(kinds).map(([kind, colour]) => {
    return `.${kind} .fill { fill: ${colour}; } .${kind} .line { stroke: ${colour}; }`
  })
  return [
    `text { fill: ${text}; } .quiet { fill: ${quiet}; } .grid { stroke: ${grid}; } .whisker { stroke: ${quiet}; }`,
    ...own,
  ].join(' ')
}

const style = `<style>
  text { font: 13px system-ui, sans-serif; }
  .title { font-weight: 600; font-size: 15px; }
  .whisker { stroke-width: 1.5; }
  .line { stroke-width: 2.5; fill: none; }
  .second { stroke-dasharray: 7 4; }
  ${colours(light)}
  @media (prefers-color-scheme: dark) { ${colours(dark)} }
</style>`

/** Horizontal bars; a whisker from the slowest to the fastest round. */
export function barChart({ title, bars }: { readonly title: string; readonly bars: readonly Bar[] }): string {
  const [left, right, top, step] = [250, 80, 44, 28]
  const width = 860
  const height = top + bars.length * step + 14
  const most = Math.max(...bars.map(({ value, spread }) => Math.max(value, spread[1])))
  const x = (value: number) => at(left + (value / most) * (width - left - right))
  const rows = bars.map(({ label, value, spread: [low, high], kind }, i) => {
    const y = top + i * step
    const middle = y + step / 2 - 2
    return [
      `<g class="${kind}">`,
      `<text x="${left - 10}" y="${middle + 5}" text-anchor="end">${escaped(label)}</text>`,
      `<rect class="fill" x="${left}" y="${y + 3}" width="${at(x(value) - left)}" height="${step - 10}" rx="2"/>`,
      `<line class="whisker" x1="${x(low)}" x2="${x(high)}" y1="${middle}" y2="${middle}"/>`,
      `<text x="${Math.max(x(high), x(value)) + 8}" y="${middle + 5}">${amount(value)}</text>`,
      '</g>',
    ].join('')
  })
  return svg(width, height, title, [...rows])
}

/** One line for each row over named points of the axis, from zero up. */
export function lineChart(chart: {
  readonly title: string
  readonly axis: string
  readonly points: readonly string[]
  readonly lines: readonly Line[]
}): string {
  const [left, right, top, bottom, width, height] = [70, 210, 44, 56, 860, 340]
  const { points, lines } = chart
  const step = niceStep(Math.max(...lines.flatMap(({ values }) => values)) / 4)
  const most = step * Math.ceil(Math.max(...lines.flatMap(({ values }) => values)) / step)
  const x = (i: number) => at(left + ((i + 0.5) / points.length) * (width - left - right))
  const y = (value: number) => at(height - bottom - (value / most) * (height - top - bottom))
  const grid = Array.from({ length: Math.round(most / step) + 1 }, (_, i) => {
    const value = i * step
    return `<line class="grid" x1="${left}" x2="${width - right}" y1="${y(value)}" y2="${y(value)}"/><text class="quiet" x="${left - 8}" y="${y(value) + 4}" text-anchor="end">${amount(value)}</text>`
  })
  const names = points.map(
    (name, i) =>
      `<text class="quiet" x="${x(i)}" y="${height - bottom + 20}" text-anchor="middle">${escaped(name)}</text>`,
  )
  const axis = `<text class="quiet" x="${at((left + width - right) / 2)}" y="${height - 12}" text-anchor="middle">${escaped(chart.axis)}</text>`
  const labelled = apart(lines.map(({ values }) => y(values.at(-1) ?? 0)))
  const drawn = lines.map(({ label, kind, values }, i) => {
    const path = values.map((value, nth) => `${x(nth)},${y(value)}`).join(' ')
    const dots = values.map((value, nth) => `<circle class="fill" cx="${x(nth)}" cy="${y(value)}" r="4"/>`).join('')
    const isSecond = lines.findIndex((line) => line.kind === kind) !== i
    const text = `<text x="${x(points.length - 1) + 14}" y="${(labelled[i] ?? 0) + 4}">${escaped(label)}</text>`
    return `<g class="${kind}"><polyline class="line${isSecond ? ' second' : ''}" points="${path}"/>${dots}${text}</g>`
  })
  return svg(width, height, chart.title, [...grid, ...names, axis, ...drawn])
}

function svg(width: number, height: number, title: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    style,
    `<text class="title" x="16" y="26">${escaped(title)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

/** Moves labels down until none stands on another. */
function apart(places: readonly number[]): readonly number[] {
  const moved = [...places]
  const order = places.map((_, i) => i).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0))
  let last = Number.NEGATIVE_INFINITY
  for (const i of order) {
    last = Math.max(places[i] ?? 0, last + 18)
    moved[i] = last
  }
  return moved
}

/** 1, 2 or 5 times a power of ten, at least so much. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10)
}

function amount(value: number): string {
  if (value < 1_000) return String(Math.round(value))
  return `${(value / 1_000).toFixed(value < 10_000 && value % 1_000 !== 0 ? 1 : 0)} k`
}

function at(place: number): number {
  return Math.round(place * 10) / 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
