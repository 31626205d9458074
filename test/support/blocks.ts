import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** All pages of the documentation that people read. */
export const pages: readonly string[] = globSync(['*.md', 'docs/**/*.md', 'deploy/*.md'], { cwd: root }).sort()

export interface Block {
  readonly page: string
  /** Where its fence stands, counted from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
}

/** The code blocks of a text, in their order. */
export function blocksOf(page: string, text: string): readonly Block[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => {
    return { page, line: text.slice(0, index).split('\n').length, language, code }
  })
}

export function blocksOfPage(page: string): readonly Block[] {
  return blocksOf(page, readFileSync(join(root, page), 'utf8'))
}

/** What a TypeScript block says that it prints: the comment behind each `console.log`, line by line. */
export function promisedBy({ code }: Block): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(([, words]) => words ?? '')
}

/** Whether a block of the shell talks to a server, as a reader would with `npm start` running. */
export function isCurl({ language, code }: Block): boolean {
  return language === 'sh' && /^\s*(\w+=\$\()?curl /m.test(code)
}

/** What a block of the shell says that is answered: its lines that begin with `# →`. */
export function answersOf({ code }: Block): readonly string[] {
  return [...code.matchAll(/^# → (.+)$/gm)].map(([, words]) => words ?? '')
}
