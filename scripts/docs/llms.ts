/**
 * The index of the documentation for machines that read it, in the form of llmstxt.org: a title, a sentence, and the same lists of links as
 * docs/README.md, with paths from the root.
 */
export function llmsText(index: string): string {
  const [, rest = ''] = index.split(/^# .*\n/m)
  const body = rest.replaceAll(/\]\((?!https?:|#)([^)]+)\)/g, (_, path: string) => `](${fromRoot(path)})`)
  return `# Stint\n\n> A durable job platform for TypeScript: embedded SQLite by default, PostgreSQL when a team grows.\n${body}`
}

/** A link of docs/README.md as it is from the root. */
function fromRoot(path: string): string {
  return path.startsWith('../') ? path.slice('../'.length) : `docs/${path}`
}
