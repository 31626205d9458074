/** Said at the top of every page that is made of the sources, so that nobody edits it in vain. */
export const generatedNote = '<!-- Made of the sources by `npm run docs`. Edit those, not this page. -->'

/** A table; cells are Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')
}

function cell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|').trim()
}

export function code(text: string): string {
  return `\`${text}\``
}

/** Parts with an empty line between them, and a line end after the last. */
export function page(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** The anchor that a heading has where this is read. */
export function anchorOf(heading: string): string {
  const text = heading.replaceAll(/[`*]/g, '').toLowerCase()
  return text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-')
}
