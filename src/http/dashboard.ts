import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** In the package it is built beside the server; a checkout keeps it where the package is built. */
const places = [join(import.meta.dirname, '../web'), join(import.meta.dirname, '../../dist/web')]

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Nothing but what was built, and nothing inline: what a user calls a job can never become a script. */
const policy = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'", "img-src 'self'"],
  ...["connect-src 'self'", "worker-src 'self'", "object-src 'none'", "base-uri 'none'", "form-action 'none'"],
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
}

interface Asset {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null where it would not be smaller. */
  readonly zipped: Uint8Array<ArrayBuffer> | null
}

/** The dashboard as it was built. All of it is kept in memory: only what is there by name can be asked for. */
export class Dashboard {
  readonly #assets: ReadonlyMap<string, Asset>

  constructor(directory: string | null = builtDirectory()) {
    const files = directory === null ? [] : globSync('**/*.*', { cwd: directory })
    this.#assets = new Map(files.map((file) => [`/${file.replaceAll('\\', '/')}`, read(join(directory ?? '', file))]))
  }

  /** An answer to a request for a page or a part of it; null when the request is for something else. */
  answer(request: Request): Response | null {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null
    const { pathname } = new URL(request.url)
    const asset = pathname === '/index.html' ? undefined : this.#assets.get(pathname)
    if (asset !== undefined) return sent(request, asset, pathname.startsWith('/assets/'))
    const isPage = pathname === '/' || (request.headers.get('accept') ?? '').includes('text/html')
    return isPage && !/^\/(?:v1|assets)(?:\/|$)/.test(pathname) ? this.#page(pathname) : null
  }

  /** The same page for every address. What it loads is named relative to where the browser is, so any prefix will do. */
  #page(pathname: string): Response {
    const page = this.#assets.get('/index.html')
    if (page === undefined)
      return new Response(unbuilt, { headers: { ...pageHeaders, 'content-type': 'text/html; charset=utf-8' } })
    const up = '../'.repeat(pathname.split('/').length - 2) || './'
    const html = Buffer.from(page.bytes).toString().replaceAll('"./', `"${up}`)
    return new Response(html, { headers: { ...pageHeaders, 'content-type': page.type } })
  }
}

const unbuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stint</title>
<p>The dashboard is not built. In a checkout of Stint, <code>npm start</code> and <code>npm run build</code> build it.</p>
<p>The API is there: <a href="reference">its reference</a>.</p></html>`

function builtDirectory(): string | null {
  return places.find((place) => existsSync(join(place, 'index.html'))) ?? null
}

function read(path: string): Asset {
  const bytes = new Uint8Array(readFileSync(path))
  const zipped = new Uint8Array(gzipSync(bytes))
  const type = types[extname(path)] ?? 'application/octet-stream'
  return { type, bytes, zipped: zipped.length < bytes.length * 0.9 ? zipped : null }
}

/** Names of built files follow from their content, so nobody has to ask for one twice. */
function sent(request: Request, { type, bytes, zipped }: Asset, isNamedByContent: boolean): Response {
  const takesZipped = zipped !== null && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  return new Response(takesZipped ? zipped : bytes, {
    headers: {
      'content-type': type,
      vary: 'accept-encoding',
      'cache-control': isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(takesZipped ? { 'content-encoding': 'gzip' } : {}),
    },
  })
}
