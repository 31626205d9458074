import { errorAdvice } from '../core/error-advice.ts'
import { type ErrorCode, errorCodes } from '../core/errors.ts'
import type { OpenApi, Operation } from './openapi.ts'

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h3 { font: 600 14px ui-monospace, monospace; margin: 1.5rem 0 .2rem }
code { font: 13px ui-monospace, monospace }
table { border-collapse: collapse; margin: .5rem 0 }
th, td { text-align: left; vertical-align: top; padding: .15rem 1rem .15rem 0; font-weight: normal }
th { opacity: .6 }
p { margin: .2rem 0 }
`

/** The API for people who read: every call, what it takes, and what every error code means. */
export function referencePage(document: OpenApi): Response {
  const tags = document['tags'] as readonly { readonly name: string }[]
  const calls = Object.entries(document.paths).flatMap(([path, methods]) => {
    return Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  })
  const sections = tags.map(({ name }) => {
    const own = calls.filter(({ operation }) => operation.tags.includes(name))
    return `<h2 id="${escaped(name)}">${escaped(name)}</h2>${own.map(callHtml).join('')}`
  })
  const codes = (Object.keys(errorCodes) as ErrorCode[]).map((code) => {
    const { status, retryable, means } = errorCodes[code]
    const words = `${escaped(means)}<br>${withCode(errorAdvice[code])}`
    return `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${retryable ? 'yes' : 'no'}</td><td>${words}</td></tr>`
  })
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stint: the API</title><style>${style}</style>
<h1>Stint: the API</h1>
<p>JSON over HTTP. The same as a machine reads it: <a href="/v1/openapi.json">OpenAPI 3.1</a>.</p>
${sections.join('\n')}
<h2 id="errors">Errors</h2><table><tr><th>code</th><th>status</th><th>try again</th><th>what it means, and what to do</th></tr>${codes.join('')}</table></html>`
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    },
  })
}

function callHtml({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const rows = operation.parameters.map(({ name, in: where, required, schema }) => {
    const about = String(schema['description'] ?? '')
    return `<tr><td><code>${escaped(name)}</code></td><td>${where}${required ? ', required' : ''}</td><td>${escaped(about)}</td></tr>`
  })
  const body = operation['requestBody'] as { content: Record<string, { schema: unknown }> } | undefined
  const schema =
    body === undefined
      ? ''
      : `<pre><code>${escaped(JSON.stringify(body.content['application/json']?.schema, null, 1))}</code></pre>`
  return `<h3 id="${operation.operationId}">${method.toUpperCase()} ${escaped(path)}</h3><p>${escaped(operation.summary)} <em>Role: ${operation['x-role']}.</em></p>${
    rows.length === 0 ? '' : `<table>${rows.join('')}</table>`
  }${schema}`
}

/** What stands between backticks is code. */
function withCode(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
