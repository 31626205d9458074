import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../src/http/openapi.ts'
import { routes } from '../../src/http/routes/routes.ts'
import { setupHttp } from '../support/http.ts'

it('the server gives the document of its routes', async () => {
  const { ask } = await setupHttp()
  const { json } = await ask('GET', '/v1/openapi.json')
  expect(json).toEqual(JSON.parse(JSON.stringify(openApiDocument(routes))))
})

it('keeps to the rules of OpenAPI', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(openApiDocument(routes)), config })
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`)).toEqual([])
})

it('names every operation once', () => {
  const ids = routes.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)])
  const places = routes.map(({ method, path }) => `${method} ${path}`)
  expect(places).toEqual([...new Set(places)])
})

it('refers only to what it has', () => {
  const document = openApiDocument(routes)
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to = '']) => to)
  const known = Object.keys(document.components['schemas'] as object).map((name) => `#/components/schemas/${name}`)
  expect(references.length).toBeGreaterThan(0)
  expect(references.filter((to) => !known.includes(to))).toEqual([])
})
