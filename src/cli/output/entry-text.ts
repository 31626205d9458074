import type { RemoteEntry } from '../../client/views.ts'
import type { Json } from '../../core/json.ts'
import type { Screen } from '../terminal.ts'
import { cut, harmless, widthOf } from './text.ts'
import { timeText } from './times.ts'

/** What stands elsewhere in the line, or means nothing to people. */
const unsaid = /^(?:name|path|workerId|position|logPath)$|Digest$/

/** An entry of the log in one line: when, what, whose, and what is known of it. */
export function entryText(entry: RemoteEntry, of: string, { colors, columns }: Screen): string {
  const { eventType, occurredAt, actor, source, attributes } = entry
  // What went wrong comes first, because the end of a long line is cut.
  const { error = null, ...others } = attributes
  const said = [...Object.entries({ error, ...others }).flatMap(attributeText), ...actorText(actor ?? source)].join(
    '  ',
  )
  const begin = `${colors.dim(timeText(occurredAt))} ${colors.cyan(eventType.padEnd(20))} ${harmless(of)}`
  const rest = cut(harmless(said), Math.max(0, columns - widthOf(begin) - 2))
  return rest === '' ? begin : `${begin}  ${colors.dim(rest)}`
}

function attributeText([name, value]: [string, Json]): readonly string[] {
  if (unsaid.test(name) || isNothing(value)) return []
  if (name.endsWith('At') && typeof value === 'number') return [`${name} ${timeText(new Date(value))}`]
  return [value === true ? name : `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`]
}

function isNothing(value: Json): boolean {
  return value === null || value === false || (typeof value === 'object' && Object.keys(value).length === 0)
}

/** Who did it. The end of an id is enough to tell two apart. */
function actorText(actor: string | null): readonly string[] {
  return actor === null ? [] : [`by ${actor.replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-([0-9a-f]{12})\b/g, '…$1')}`]
}
