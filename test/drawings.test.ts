import { describe, expect, test } from 'vitest'
import { type Drawing, problemsOf } from '../scripts/docs/drawings/drawing.ts'
import { drawings, drawn } from '../scripts/docs/drawings/drawings.ts'
import { dark, light, type Palette } from '../scripts/docs/drawings/svg.ts'

describe.each(Object.entries(drawn))('the drawing %s', (name, drawing) => {
  test('has words that fit, and nothing that lies over something else', () => {
    expect(problemsOf(drawing)).toEqual([])
  })

  test('is a document with a title, in which every element ends', () => {
    const text = drawings[name] ?? ''
    const open: string[] = []
    for (const [, end, tag = '', rest = ''] of text.matchAll(/<(\/?)(\w+)([^>]*)>/g)) {
      if (end === '/') expect(open.pop()).toBe(tag)
      else if (!rest.endsWith('/')) open.push(tag)
    }
    expect(open).toEqual([])
    expect(text).toContain(`<title>${drawing.title}</title>`)
  })
})

test('what does not fit is found', () => {
  const bad: Drawing = {
    title: 'bad',
    width: 200,
    height: 100,
    boxes: [
      { at: [10, 10], size: [60, 40], lines: ['far too long a name'], kind: 'plain' },
      { at: [60, 20], size: [200, 40], lines: ['b'], kind: 'plain' },
    ],
    arrows: [
      {
        path: [
          [0, 90],
          [100, 90],
        ],
      },
    ],
    notes: [{ at: [20, 94], text: 'under' }],
  }
  expect(problemsOf(bad)).toEqual([
    '"far too long a name" is wider than its box',
    '"b" is not inside',
    '"far too long a name" lies over "b"',
    'an arrow goes through "under"',
  ])
})

test.each([
  ['light', light],
  ['dark', dark],
])('words can be read on everything that is %s', (_, { page, text, note, boxes }: Palette) => {
  const grounds = [page, ...Object.values(boxes).map(({ fill }) => fill)]
  for (const ground of grounds) {
    for (const ink of [text, note]) expect(contrast(ink, ground)).toBeGreaterThanOrEqual(4.5)
  }
})

/** As WCAG has it: 4.5 is enough for small text. */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[0-9a-f]{2}/g) ?? []).map((hex) => {
    const part = Number.parseInt(hex, 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
