import type { FailureGroup } from 'stint/client'

/** The search that finds the jobs of a cause: its type, and the longest piece of text that all their errors have. */
export function searchFor({ type, fingerprint }: Pick<FailureGroup, 'type' | 'fingerprint'>): string {
  const pieces = fingerprint.split(/<(?:n|id|url|address|text)>|"/).map((piece) => piece.trim())
  const [longest = ''] = pieces.toSorted((a, b) => b.length - a.length)
  return `type:${/\s/.test(type) ? `"${type}"` : type}${longest.length < 3 ? '' : ` error:"${longest}"`}`
}
