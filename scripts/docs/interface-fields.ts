import { readFileSync } from 'node:fs'

export interface Field {
  readonly name: string
  readonly isOptional: boolean
  readonly type: string
  readonly words: string
}

/**
 * The fields of an exported interface with their comments, as the sources have them. It reads what the formatter writes: a member begins
 * with two spaces and `readonly`, and what belongs to it is indented deeper. A field without a comment is an error, because then nobody
 * learns what it is.
 */
export function fieldsOf(file: string, name: string): readonly Field[] {
  const source = readFileSync(file, 'utf8')
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms').exec(source)?.[1]
  if (body === undefined) throw new Error(`${file} has no interface ${name}.`)
  // A member ends where the next one, or the comment over it, begins.
  const members = body.split(/(?<=\n)(?<!\*\/\n)(?= {2}(?:readonly |\/\*\*))/)
  return members.map((member) => fieldOf(member, `${name} in ${file}`))
}

function fieldOf(member: string, where: string): Field {
  const { groups } =
    /^ {2}(?:\/\*\*(?<comment>.*?)\*\/\s*)?readonly (?<name>\w+)(?<mark>\??): (?<type>.*)$/s.exec(member) ?? {}
  const { comment, name = '', mark = '', type = '' } = groups ?? {}
  if (comment === undefined) throw new Error(`${where}: there is no comment for ${name || member}.`)
  return { name, isOptional: mark === '?', type: typeText(type), words: wordsOf(comment) }
}

function wordsOf(comment: string): string {
  return comment
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Short enough for a table: what is inside of a long type is left to the sources. */
function typeText(type: string): string {
  const line = type
    .replaceAll(/\breadonly (?=\w)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length <= 60 ? line : line.replace(/\{.*\}/, '{ … }')
}
