import { expect, it } from 'vitest'
import { catalogue, isReservedType } from '../../../src/core/job/events.ts'
import { recordCatalogue } from '../../../src/core/records/events.ts'

it('the catalogue of records shares no number with that of jobs, and nobody outside may use its names', () => {
  const numbers = [...Object.values(catalogue), ...Object.values(recordCatalogue)]
  expect(new Set(numbers).size).toBe(numbers.length)
  for (const type of Object.keys(recordCatalogue)) expect(isReservedType(type), type).toBe(true)
})
