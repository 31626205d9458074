import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Attempt } from '../../../src/engine/worker/attempt.ts'
import { Held } from '../../../src/engine/worker/held.ts'

it('holds what was added and not removed, whatever the order', () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(9)), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (given) => {
      const attempts = Array.from({ length: 10 }, () => ({ place: null }) as Attempt)
      const [held, known] = [new Held(), new Set<Attempt>()]
      for (const [isAdded, i] of given) {
        const attempt = attempts[i] as Attempt
        if (!isAdded) {
          held.remove(attempt)
          known.delete(attempt)
        } else if (!held.has(attempt)) {
          held.add(attempt)
          known.add(attempt)
        }
        expect(new Set(held.all)).toEqual(known)
        expect(held.size).toBe(known.size)
        expect(attempts.filter((each) => held.has(each))).toEqual(attempts.filter((each) => known.has(each)))
      }
    }),
  )
})
