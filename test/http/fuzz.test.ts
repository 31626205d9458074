import { expect, it } from 'vitest'
import { Random } from '../simulation/random.ts'
import { setupHttp } from '../support/http.ts'
import { fuzz } from './fuzz.ts'

it.each([1, 2])('answers whatever it is asked, and keeps what it keeps in order (seed %d)', async (seed) => {
  const http = await setupHttp()
  expect(await fuzz(http, new Random(seed), 500), `seed ${seed}`).toEqual([])
  expect((await http.ask('GET', '/readyz')).status).toBe(200)
  expect((await http.stint.verify()).differences).toEqual([])
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})
