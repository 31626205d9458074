import { isTypePattern } from '../../core/webhook/webhook.ts'
import { checkArray, checkText, refuse } from '../check-input.ts'

const typesMax = 100

/** An address by itself. Whether it may be reached is decided by who sends, each time. */
export function checkUrl(value: unknown): string {
  const text = checkText(value, 'url', 2_048)
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw refuse('url', value, 'must be a URL of https or http')
  return text
}

export function checkTypes(value: unknown): readonly string[] {
  const types = checkArray(value, 'types', typesMax).map((type, i) => {
    const text = checkText(type, `types[${i}]`, 255)
    if (isTypePattern(text)) return text
    throw refuse(`types[${i}]`, type, 'must be the name of a type, a beginning such as job.run.*, or *')
  })
  if (types.length === 0) throw refuse('types', value, 'must name at least one type')
  return [...new Set(types)]
}

/** 24 bytes are 32 characters of base64. */
export function checkSecret(value: unknown): string {
  if (typeof value === 'string' && /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(value)) return value
  throw refuse('secret', typeof value, 'must be whsec_ and at least 24 bytes in base64')
}
