import { expect, it } from 'vitest'
import { errorCodes } from '../../src/core/errors.ts'
import { openApiDocument } from '../../src/http/openapi.ts'
import { referencePage } from '../../src/http/reference-page.ts'
import { routes } from '../../src/http/routes/routes.ts'

it('the page for people has every call, every field of what is sent and shown, and every code; and no link leads nowhere', async () => {
  const document = openApiDocument(routes)
  const html = await referencePage(document).text()
  const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  for (const { id } of routes) expect(ids).toContain(id)
  for (const code of Object.keys(errorCodes)) expect(ids).toContain(code)
  const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, to]) => to)
  expect(links.filter((to) => !ids.has(to))).toEqual([])
  const schemas = document.components['schemas'] as Record<string, { properties?: object }>
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    const section = html.slice(html.indexOf(`id="data-${name}"`)).split('<h3')[0] ?? ''
    for (const field of Object.keys(properties)) expect(section, name).toContain(`<code>${field}</code>`)
  }
  expect(html).not.toContain('[object Object]')
  expect(html).not.toContain('undefined')
})
