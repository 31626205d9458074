import { describe, expect, it } from 'vitest'
import { newId } from '../support/fixture.ts'
import { refusal, setupHttp } from '../support/http.ts'

describe('slots over HTTP', () => {
  it('are filled once, by somebody whose name stands there', async () => {
    const { ask, key } = await setupHttp()
    const made = await ask('POST', '/v1/slots', { body: { path: '/a/approval', label: 'Approved?' } })
    expect([made.status, made.json.status, made.json.label]).toEqual([201, 'OPEN', 'Approved?'])
    const waiting = await ask('POST', '/v1/jobs', {
      body: { type: 'x', name: '/a/publish', params: { ok: null }, needs: { '/ok': made.json.id } },
    })
    const at = `/v1/slots/${made.json.id}`
    const filled = await ask('POST', `${at}/fill`, { body: { value: { yes: [1] } }, key: await key('submit', '/a') })
    expect(filled.json).toMatchObject({ status: 'FILLED', value: { yes: [1] }, filledBy: 'key submit of /a' })
    expect((await ask('GET', `/v1/jobs/${waiting.json.id}`)).json.params).toEqual({ ok: { yes: [1] } })
    expect((await ask('POST', `${at}/fill`, { body: { value: { yes: [1] } } })).json).toEqual(filled.json)
    expect(refusal(await ask('POST', `${at}/fill`, { body: { value: 2 } }))).toEqual([409, 'slot_filled', undefined])
    expect(refusal(await ask('POST', `${at}/fail`, { body: { error: 'x' } }))).toEqual([409, 'slot_filled', undefined])
    expect((await ask('GET', at)).json).toEqual(filled.json)
  })

  it('fail for ever, or fill themselves', async () => {
    const { ask } = await setupHttp()
    const { json } = await ask('POST', '/v1/slots', { body: { path: 'approval' } })
    const uuid = json.id.split(':').at(-1)
    const failed = await ask('POST', `/v1/slots/${uuid}/fail`, { body: { error: 'nobody knows' } })
    expect(failed.json).toMatchObject({ path: '/default/approval', status: 'FAILED', error: 'nobody knows' })
    const late = await ask('POST', `/v1/slots/${uuid}/fill`, { body: { value: null } })
    expect(refusal(late)).toEqual([409, 'slot_closed', undefined])
    const dueAt = '2099-01-01T00:00:00.000Z'
    const delay = await ask('POST', '/v1/slots', { body: { path: '/default/later', dueAt, value: 7 } })
    expect(delay.json).toMatchObject({ status: 'OPEN', dueAt, value: null })
    const paths = (await ask('GET', '/v1/slots?path=/default')).json.items.map(({ path }: { path: string }) => path)
    expect(paths).toEqual(['/default/later', '/default/approval'])
    const again = await ask('POST', '/v1/slots', { body: { path: '/default/later' } })
    expect(refusal(again)).toEqual([409, 'path_taken', undefined])
  })

  it('refuse what breaks a rule, and do not know those of others', async () => {
    const { ask, key } = await setupHttp()
    const { json } = await ask('POST', '/v1/slots', { body: { path: '/a/s' } })
    const wrong = [
      ['', {}, 'path'],
      ['', { path: '/a/b', value: 1 }, 'value'],
      ['', { path: '/a/b', dueAt: 'soon' }, 'dueAt'],
      ['', { path: '/a/b', label: '' }, 'label'],
      [`/${json.id}/fill`, {}, 'value'],
      [`/${json.id}/fill`, { value: 1, by: 'me' }, 'by'],
      [`/${json.id}/fail`, {}, 'error'],
    ] as const
    for (const [rest, body, field] of wrong) {
      const told = refusal(await ask('POST', `/v1/slots${rest}`, { body }))
      expect([rest, body, ...told]).toEqual([rest, body, 400, 'invalid_argument', field])
    }
    const noId = await ask('GET', '/v1/slots/nothing')
    expect([noId.status, noId.json.code]).toEqual([400, 'invalid_id'])
    const other = await key('admin', '/other')
    for (const id of [newId(), json.id]) {
      const calls = [
        ['GET', ''],
        ['POST', '/fill', { value: 1 }],
        ['POST', '/fail', { error: 'x' }],
      ] as const
      for (const [method, rest, body] of calls) {
        const { status, json: problem } = await ask(method, `/v1/slots/${id}${rest}`, { key: other, body })
        expect([method, rest, status, problem.code]).toEqual([method, rest, 404, 'not_found'])
      }
    }
    const elsewhere = await ask('POST', '/v1/slots', { body: { path: '/a/t' }, key: other })
    expect(refusal(elsewhere)).toEqual([403, 'forbidden', 'path'])
  })
})
