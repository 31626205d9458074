import { errorAdvice } from '../../src/core/error-advice.ts'
import { type ErrorCode, errorCodes } from '../../src/core/errors.ts'
import { code, generatedNote, page, table } from './markdown.ts'

const codes = Object.keys(errorCodes) as ErrorCode[]

export function errorsPage(): string {
  const rows = codes.map((each) => {
    const { status, retryable, means } = errorCodes[each]
    return [`[${code(each)}](#${each})`, String(status), retryable ? 'yes' : 'no', means]
  })
  return page([
    '# Errors',
    generatedNote,
    `Every error that Stint gives to a caller is a \`StintError\` with a \`code\` from this table, a \`message\` that says what
happened and to what, and \`details\` that name the field, the input or the ids. Branch on the code: codes are never
renamed and never change their meaning, while messages may become clearer at any time.`,
    `*Retryable* says whether the same call may succeed when it is made again without a change. The HTTP status is the one
with which the API answers; the body is a problem of RFC 9457, and its \`type\` leads to the same words as here.`,
    table(['Code', 'HTTP status', 'Retryable', 'Meaning'], rows),
    '## What to do',
    ...codes.flatMap((each) => [`### ${each}`, `${errorCodes[each].means} ${errorAdvice[each]}`]),
  ])
}
