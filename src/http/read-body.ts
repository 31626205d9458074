import { StintError } from '../core/errors.ts'
import { jsonLimits } from '../core/json.ts'
import { placeOfFault } from './broken-json.ts'

/** The largest body that is read. A batch of jobs is larger than the params of one. */
export const bodyMax = 16 * 1_048_576

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The JSON of a request. What is not, is refused as soon as that is certain: a body that is too large while it comes in. */
export async function readJson(request: Request): Promise<unknown> {
  const { headers } = request
  const length = headers.get('content-length')
  const type = headers.get('content-type')
  // Whoever sends nothing says nothing: what a call needs is then told field by field.
  if ((length ?? '0') === '0' && type === null && !headers.has('transfer-encoding')) return {}
  requireJson(type)
  const announced = Number(length ?? Number.NaN)
  if (announced > bodyMax) throw tooLarge()
  // What was announced cannot be exceeded: the server of Node.js sees to it.
  const bytes = Number.isNaN(announced) ? await readBounded(request) : new Uint8Array(await request.arrayBuffer())
  return parseJson(textOf(bytes))
}

function requireJson(type: string | null): void {
  if (type === 'application/json') return
  const media = (type ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (media === 'application/json' || /^application\/[a-z0-9.-]+\+json$/.test(media)) return
  const rule = 'must be application/json'
  throw new StintError('unsupported_media_type', `content-type ${rule}; got ${type ?? 'none'}.`, {
    field: 'content-type',
    rule,
  })
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('must be UTF-8')
  }
}

async function readBounded(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > bodyMax) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(text: string): unknown {
  if (isDeep(text)) throw malformed(`must not be nested deeper than ${depthMax} levels`)
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('must be one JSON document', placeOfFault(text))
  }
}

/** The deepest value that is kept, within the objects that a request is made of. */
const depthMax = jsonLimits.depth + 10

const [quote, backslash] = [34, 92]
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125]

/** Counted before it is parsed: what recurses must not meet it. */
function isDeep(text: string): boolean {
  // What is opened is closed in a document, so a short one is not deep.
  if (text.length < 2 * depthMax) return false
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (inString) {
      if (unit === backslash) i += 1
      else if (unit === quote) inString = false
    } else if (unit === quote) inString = true
    else if (unit === openList || unit === openObject) {
      depth += 1
      if (depth > depthMax) return true
    } else if (unit === closeList || unit === closeObject) depth -= 1
  }
  return false
}

function malformed(rule: string, offset?: number): StintError {
  const where = offset === undefined ? '' : ` (at character ${offset})`
  const details = { field: 'body', rule, ...(offset === undefined ? {} : { offset }) }
  return new StintError('malformed_body', `The body ${rule}${where}.`, details)
}

function tooLarge(): StintError {
  const rule = `must have at most ${bodyMax} bytes`
  return new StintError('payload_too_large', `The body ${rule}.`, { field: 'body', rule })
}
