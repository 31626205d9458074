import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { generatedFiles } from '../scripts/docs/generated.ts'
import { anchorOf } from '../scripts/docs/markdown.ts'
import { errorCodes } from '../src/core/errors.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const generated = [...generatedFiles(root)]

test.each(generated)('%s is what `npm run docs` makes of the sources', (path, text) => {
  expect(existsSync(join(root, path)) && read(path)).toBe(text)
})

test('every error code has a part that says what to do', () => {
  const parts = read('docs/errors.md').split(/^### /m).slice(1)
  expect(parts.map((part) => part.split('\n')[0])).toEqual(Object.keys(errorCodes))
  for (const part of parts) expect(part.length).toBeGreaterThan(80)
})

test('every page but the decisions stands in the index', () => {
  const listed = linksIn(read('docs/README.md')).map((link) => join('docs', link))
  const written = globSync('docs/**/*.md', { cwd: root }).filter((page) => !page.startsWith('docs/decisions/'))
  expect(written.filter((page) => page !== 'docs/README.md' && !listed.includes(page))).toEqual([])
})

test('links between documents lead to files that exist, and to headings in them', () => {
  const documents = globSync(['*.md', 'llms.txt', 'docs/**/*.md', 'deploy/*.md'], { cwd: root })
  expect(documents.flatMap(brokenLinks)).toEqual([])
})

test('a broken link is found, and only a broken one', () => {
  const text = [
    'See [here](errors.md#what-to-do), [there](missing.md), ![a picture](<no picture.png>) and [a site](https://example.com).',
    '`[code](is-no-link.md)` [up](../package.json "a title") [part](errors.md#no-such-part)',
    '```md',
    '[neither](is-this.md)',
    '```',
    '[reference]: gone.md',
  ].join('\n')
  expect(linksIn(text).filter((link) => !leadsSomewhere('docs/x.md', link))).toEqual([
    'missing.md',
    'no picture.png',
    'errors.md#no-such-part',
    'gone.md',
  ])
})

function brokenLinks(document: string): string[] {
  return linksIn(read(document))
    .filter((link) => !leadsSomewhere(document, link))
    .map((link) => `${document} links to ${link}`)
}

/** The targets of links, images and references; what stands in code is no link. */
function linksIn(text: string): string[] {
  const prose = text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '').replaceAll(/`[^`\n]*`/g, '')
  const inline = prose.matchAll(/\]\(\s*(?:<([^>]*)>|([^\s)]+))[^)]*\)/g)
  const references = prose.matchAll(/^\s*\[[^\]]+\]:\s*(?:<([^>]*)>|(\S+))/gm)
  return [...inline, ...references].map(([, bracketed, plain]) => bracketed ?? plain ?? '')
}

function leadsSomewhere(document: string, link: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return true
  const [path = '', anchor] = decodeURIComponent(link).replace(/\?.*$/, '').split('#')
  const target = path === '' ? document : join(dirname(document), path)
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchorsIn(read(target)).includes(anchor)
}

/** The anchors of the headings of a page; those that come twice are not told apart. */
function anchorsIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '')
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
}
