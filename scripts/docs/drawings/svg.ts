import { type Arrow, type Box, baselines, type Drawing, fontSize, type Kind, type Note } from './drawing.ts'

export interface Palette {
  readonly page: string
  readonly text: string
  readonly note: string
  readonly line: string
  readonly boxes: Readonly<Record<Kind, { readonly fill: string; readonly stroke: string }>>
}

export const light: Palette = {
  page: '#ffffff',
  text: '#1f2328',
  note: '#59636e',
  line: '#6e7781',
  boxes: {
    plain: { fill: '#f6f8fa', stroke: '#8c959f' },
    own: { fill: '#ddf4ff', stroke: '#0969da' },
    good: { fill: '#dafbe1', stroke: '#1a7f37' },
    bad: { fill: '#ffebe9', stroke: '#cf222e' },
    quiet: { fill: '#ffffff', stroke: '#8c959f' },
  },
}

export const dark: Palette = {
  page: '#0d1117',
  text: '#f0f6fc',
  note: '#9198a1',
  line: '#8b949e',
  boxes: {
    plain: { fill: '#151b23', stroke: '#656c76' },
    own: { fill: '#121d2f', stroke: '#4493f8' },
    good: { fill: '#0f2417', stroke: '#3fb950' },
    bad: { fill: '#2a1215', stroke: '#f85149' },
    quiet: { fill: '#0d1117', stroke: '#656c76' },
  },
}

/**
 * The page is painted, too: the reader's system chooses light or dark, and the site around it may have chosen the other. Plain rules for
 * each colour, because not everything that shows an SVG knows variables.
 */
function rules({ page, text, note, line, boxes }: Palette): string {
  const kinds = Object.entries(boxes).map(
    ([kind, { fill, stroke }]) => `.${kind} { fill: ${fill}; stroke: ${stroke}; }`,
  )
  return [
    `.page { fill: ${page}; } text { fill: ${text}; } .note, .more { fill: ${note}; }`,
    `.arrow { stroke: ${line}; } .head { fill: ${line}; }`,
    ...kinds,
  ].join(' ')
}

const style = `<style>
  text { font: ${fontSize.line}px system-ui, -apple-system, sans-serif; }
  .name { font-weight: 600; font-size: ${fontSize.name}px; }
  .title { font-weight: 600; font-size: ${fontSize.title}px; }
  .arrow { fill: none; stroke-width: 1.5; }
  .dashed { stroke-dasharray: 5 4; }
  ${rules(light)}
  @media (prefers-color-scheme: dark) { ${rules(dark)} }
</style>`

export function svgOf({ title, width, height, boxes, arrows, notes = [] }: Drawing): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    style,
    `<rect class="page" width="${width}" height="${height}" rx="8"/>`,
    `<text class="title" x="20" y="30">${escaped(title)}</text>`,
    ...arrows.map(arrowSvg),
    ...boxes.map(boxSvg),
    ...notes.map(noteSvg),
    '</svg>',
    '',
  ].join('\n')
}

function boxSvg(box: Box): string {
  const {
    at: [x, y],
    size: [width, height],
    lines,
    kind,
  } = box
  const places = baselines(box)
  const texts = lines.map((text, i) => {
    return `<text class="${i === 0 ? 'name' : 'more'}" x="${x + width / 2}" y="${places[i]}" text-anchor="middle">${escaped(text)}</text>`
  })
  return `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6" stroke-width="1.5"/>${texts.join('')}`
}

function arrowSvg({ path, isDashed = false }: Arrow): string {
  const points = path.map((point) => point.join(',')).join(' ')
  return `<polyline class="arrow${isDashed ? ' dashed' : ''}" points="${points}"/>${headSvg(path)}`
}

/** A head that points where the last piece goes. Drawn by hand: markers do not follow the colours everywhere. */
function headSvg(path: Arrow['path']): string {
  const [x, y] = path.at(-1) ?? path[0]
  const [fromX, fromY] = path.at(-2) ?? path[0]
  const length = Math.hypot(x - fromX, y - fromY)
  const [dx, dy] = [((x - fromX) / length) * 8, ((y - fromY) / length) * 8]
  const corners = [
    [x, y],
    [x - dx - dy / 2, y - dy + dx / 2],
    [x - dx + dy / 2, y - dy - dx / 2],
  ]
  return `<polygon class="head" points="${corners.map((corner) => corner.map(rounded).join(',')).join(' ')}"/>`
}

function noteSvg({ at: [x, y], text, anchor = 'start' }: Note): string {
  return `<text class="note" x="${x}" y="${y}" text-anchor="${anchor}">${escaped(text)}</text>`
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
