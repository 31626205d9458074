import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Dashboard } from '../../src/http/dashboard.ts'
import { setupHttp } from '../support/http.ts'
import { temporaryDirectory } from '../support/stint.ts'

/** A dashboard that was built of very little. */
function setup() {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'assets'))
  writeFileSync(join(directory, 'index.html'), '<script src="./assets/main-1a.js"></script>')
  writeFileSync(join(directory, 'assets/main-1a.js'), 'let a = 1\n'.repeat(1_000))
  const dashboard = new Dashboard(directory)
  return (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    dashboard.answer(new Request(`http://localhost${path}`, { headers, method }))
}

const browser = { accept: 'text/html,*/*' }

describe('the dashboard', () => {
  it.each([
    ['/', './'],
    ['/jobs', './'],
    ['/jobs/stint::a:1', '../'],
    ['/a/b/c', '../../'],
  ])('is the same page at %s, and finds its parts from there', async (path, up) => {
    const page = setup()(path, browser)
    expect(await page?.text()).toBe(`<script src="${up}assets/main-1a.js"></script>`)
    expect(page?.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    )
    expect(page?.headers.get('content-security-policy')).not.toContain('unsafe')
    expect(page?.headers.get('cache-control')).toBe('no-cache')
  })

  it('gives its parts zipped, and for ever', async () => {
    const part = setup()('/assets/main-1a.js', { 'accept-encoding': 'gzip, br' })
    expect(part?.headers.get('content-encoding')).toBe('gzip')
    expect(part?.headers.get('cache-control')).toContain('immutable')
    expect((await part?.arrayBuffer())?.byteLength).toBeLessThan(200)
    expect(setup()('/assets/main-1a.js')?.headers.get('content-encoding')).toBeNull()
  })

  it.each([
    ['/assets/none.js', browser],
    ['/assets/../index.html/../../../etc/passwd', {}],
    ['/v1/nothing', browser],
    ['/nothing', { accept: 'application/json' }],
  ])('leaves %s to others', (path, headers) => {
    expect(setup()(path, headers)).toBeNull()
    expect(setup()('/', browser, 'POST')).toBeNull()
  })

  it('says how it is built where it is not', async () => {
    const page = new Dashboard(null).answer(new Request('http://localhost/'))
    expect(await page?.text()).toContain('npm start')
  })

  it('is served beside the API, at any base path, unless nobody wants it', async () => {
    const { ask } = await setupHttp({ basePath: '/tools/stint' })
    expect((await ask('GET', '/tools/stint/', { headers: browser })).headers.get('content-type')).toContain('text/html')
    expect((await ask('GET', '/tools/stint/v1/access')).json.role).toBe('admin')
    const none = await setupHttp({ dashboard: false })
    expect((await none.ask('GET', '/', { headers: browser })).status).toBe(404)
  })
})
