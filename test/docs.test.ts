import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { errorCodes } from '../src/core/errors.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('docs/errors.md lists exactly the error codes of the sources', () => {
  const listed = read('docs/errors.md').match(/^\|.*\|$/gm) ?? []
  const expected = errorTable()
  expect(listed, `The table in docs/errors.md should be:\n\n${expected.join('\n')}\n`).toEqual(expected)
})

test('links between documents lead to files that exist', () => {
  const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root })
  expect(documents.flatMap(brokenLinks)).toEqual([])
})

test('a broken link is found, and only a broken one', () => {
  const text = [
    'See [here](errors.md#codes), [there](missing.md), ![a picture](<no picture.png>) and [a site](https://example.com).',
    '`[code](is-no-link.md)` [up](../package.json "a title") [part](#below)',
    '```md',
    '[neither](is-this.md)',
    '```',
    '[reference]: gone.md',
  ].join('\n')
  expect(linksIn(text).filter((link) => !leadsSomewhere('docs/x.md', link))).toEqual([
    'missing.md',
    'no picture.png',
    'gone.md',
  ])
})

function errorTable(): string[] {
  const rows = Object.entries(errorCodes).map(([code, { status, retryable, means }]) => {
    return `| \`${code}\` | ${status} | ${retryable ? 'yes' : 'no'} | ${means.replaceAll('|', '\\|')} |`
  })
  return ['| Code | HTTP status | Retryable | Meaning |', '| --- | --- | --- | --- |', ...rows]
}

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
  if (/^([a-z][a-z0-9+.-]*:|#)/i.test(link)) return true
  const path = decodeURIComponent(link.replace(/[#?].*$/, ''))
  return existsSync(join(root, dirname(document), path))
}
