import { describe, expect, it } from 'vitest'
import type { Setup } from '../support/fixture.ts'
import { claimInputs } from './inputs-claims.ts'
import { commandInputs } from './inputs-commands.ts'
import { eventInputs } from './inputs-events.ts'
import { submissionInputs } from './inputs-submissions.ts'
import { workInputs } from './inputs-work.ts'

/**
 * Input of the kind that breaks things. Each is refused with a code and a message that names the field, and nothing is
 * written; or it is stored and comes back as it was. The tables say which, and hold for both stores.
 */
export function inputsContract(setup: Setup): void {
  submissionInputs(setup)
  eventInputs(setup)
  claimInputs(setup)
  commandInputs(setup)
  workInputs(setup)

  describe('hostile input', () => {
    it('has not touched what all objects share', () => {
      expect(Object.keys(Object.prototype)).toEqual([])
      expect(Object.getPrototypeOf({})).toBe(Object.prototype)
    })
  })
}
