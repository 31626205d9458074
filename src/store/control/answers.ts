import { checkInstant, checkInteger, checkText, refuse } from '../check-input.ts'
import type { AnswerControls, BegunAnswer } from '../controls.ts'
import type { Transaction } from '../transaction.ts'

type Input<N extends keyof AnswerControls> = AnswerControls[N]['input']

/** The largest answer that is kept, in bytes. */
export const answerBytesMax = 16 * 1_048_576

const [dayMs, lockMs] = [86_400_000, 60_000]

export const answerControls = {
  'answer.begin': async (tx: Transaction, given: Input<'answer.begin'>): Promise<BegunAnswer> => {
    const [id, fingerprint] = [checkHash(given.id, 'id'), checkHash(given.fingerprint, 'fingerprint')]
    await tx.answers.sweep(tx.now)
    const begun = { id, fingerprint, status: null, body: null, expiresAt: tx.now + lockMs }
    const known = await tx.answers.hold(begun)
    if (known === null) return { outcome: 'begun' }
    // Whoever began it has died, or it is older than anybody asks again.
    if (known.expiresAt <= tx.now) {
      await tx.answers.write(begun)
      return { outcome: 'begun' }
    }
    if (known.fingerprint !== fingerprint) return { outcome: 'mismatch' }
    if (known.status === null) return { outcome: 'running' }
    return { outcome: 'answered', status: known.status, body: known.body ?? '' }
  },
  'answer.finish': async (tx: Transaction, given: Input<'answer.finish'>): Promise<null> => {
    await tx.answers.write({
      id: checkHash(given.id, 'id'),
      fingerprint: checkHash(given.fingerprint, 'fingerprint'),
      status: checkInteger(given.status, 'status', 100, 599),
      body: given.body === '' ? '' : checkText(given.body, 'body', answerBytesMax),
      expiresAt: checkInstant(tx.now + dayMs, 'expiresAt'),
    })
    return null
  },
  'answer.forget': async (tx: Transaction, given: Input<'answer.forget'>): Promise<null> => {
    await tx.answers.remove(checkHash(given.id, 'id'))
    return null
  },
}

function checkHash(value: unknown, field: string): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value
  throw refuse(field, value, 'must be a SHA-256 in hexadecimal digits')
}
