import { expect, it } from 'vitest'
import { fuzz } from '../http/fuzz.ts'
import { Random } from '../simulation/random.ts'
import { setupHttp } from '../support/http.ts'

it.each([...Array(10).keys()].map((i) => 100 + i))('answers whatever it is asked (seed %d)', async (seed) => {
  const http = await setupHttp()
  expect(await fuzz(http, new Random(seed), 5_000), `seed ${seed}`).toEqual([])
  expect((await http.ask('GET', '/readyz')).status).toBe(200)
  expect((await http.stint.verify()).differences).toEqual([])
})
