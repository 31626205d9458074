import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { defineJob } from '../../src/index.ts'
import { newId } from '../support/fixture.ts'
import { refusal, setupHttp } from '../support/http.ts'
import { startWorker, temporaryDirectory } from '../support/stint.ts'

it('files that a run left are read over HTTP, and nothing else of the disk', async () => {
  const [artifacts, outside] = [temporaryDirectory(), temporaryDirectory()]
  const { ask, key, stint, server } = await setupHttp({ requireKeys: true, artifacts })
  writeFileSync(join(outside, 'secret'), 'canary')
  const leave = defineJob('leave', {
    run: async (ctx) => {
      writeFileSync(await ctx.artifact('report.html'), '<script>alert(1)</script>')
      writeFileSync(await ctx.artifact('sub/día 1.txt'), 'x'.repeat(300_000))
      writeFileSync(await ctx.artifact('empty'), '')
      writeFileSync(await ctx.artifact('later'), 'a file')
    },
  })
  await startWorker(stint, { jobs: [leave], artifactsDirectory: artifacts })
  const job = await stint.submit(leave, undefined, { name: '/a/x' })
  await job.result()
  const [run] = (await stint.runs.list({ job })).items
  expect(run?.artifacts).toEqual(['empty', 'later', 'report.html', 'sub/día 1.txt'])
  const read = { key: await key('read', '/a') }
  const at = (path: string, id = job.id) => `/v1/jobs/${id}/runs/1/artifact?path=${encodeURIComponent(path)}`

  const page = await ask('GET', at('report.html'), read)
  expect([page.status, page.text]).toEqual([200, '<script>alert(1)</script>'])
  // A browser is not to run what a job has made.
  expect(page.headers.get('content-type')).toBe('application/octet-stream')
  expect(page.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''report.html")
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect((await ask('GET', at('empty'), read)).text).toBe('')
  const client = connect({ url: server.url, ...read })
  const bytes = await client.runs.artifact({ job: '/a/x', attempt: 1, path: 'sub/día 1.txt' })
  expect(bytes.byteLength).toBe(300_000)

  // Not listed, out of the directory, gone, or turned into a link or a pipe since.
  mkdirSync(join(artifacts, String(run?.id), 'hidden'))
  writeFileSync(join(artifacts, String(run?.id), 'hidden/x'), 'canary')
  const gone = join(artifacts, String(run?.id), 'later')
  rmSync(gone)
  for (const path of ['hidden/x', '../../secret', `${outside}/secret`, 'later', '.', 'sub']) {
    expect(refusal(await ask('GET', at(path), read)), path).toEqual([404, 'not_found', 'path'])
  }
  symlinkSync(join(outside, 'secret'), gone)
  expect((await ask('GET', at('later'), read)).status).toBe(404)
  rmSync(gone)
  execFileSync('mkfifo', [gone])
  expect((await ask('GET', at('later'), read)).status).toBe(404)
  // Of others, and of nobody.
  const foreign = await ask('GET', at('report.html'), { key: await key('admin', '/b') })
  const unknown = await ask('GET', at('report.html', `stint::a:${newId()}`), read)
  expect([foreign.status, unknown.status]).toEqual([404, 404])
})
