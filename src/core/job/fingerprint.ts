/** What differs from one failure to the next though their cause is the same, and what stands for it. The first that fits counts. */
const replaced: readonly (readonly [RegExp, string])[] = [
  [/[a-z][a-z0-9+.-]*:\/\/[^\s'"`)\]]+/gi, '<url>'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<address>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [/"[^"\n]{0,200}"|'[^'\n]{0,200}'|`[^`\n]{0,200}`/g, '<text>'],
  [/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/gi, '<id>'],
  [/\d+(?:[.,:]\d+)*/g, '<n>'],
]

const lengthMax = 200

/**
 * What failures with the same cause have in common: the first line of the error, without numbers, ids, addresses and quoted
 * words. It is a help for people who look at many, and nothing is decided by it.
 */
export function fingerprintOf(error: string): string {
  const [line = ''] = error.slice(0, 2_000).split('\n', 1)
  const common = replaced.reduce((text, [pattern, sign]) => text.replace(pattern, sign), line)
  return common.replace(/\s+/g, ' ').trim().slice(0, lengthMax)
}
