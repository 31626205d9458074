import { describe, expect, it } from 'vitest'
import type { ApplyRequest, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { applied, codeOf, newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { times } from '../support/racing.ts'
import { claimOf, claimOne, completion, failure, finish } from '../support/requests.ts'
import {
  label,
  noIntegers,
  noObjects,
  noTexts,
  refusalOf,
  rowCounts,
  strangeTexts,
  textOfBytes,
  unstorableTexts,
} from '../support/zoo.ts'

type Case = readonly [field: string, what: unknown, given: unknown, code: string]

const invalid = 'invalid_argument'
const noRandom: readonly unknown[] = [Number.NaN, -1, 1, 2, '0', null, undefined, true, 0n, Number.POSITIVE_INFINITY]
const noBooleans: readonly unknown[] = [0, 1, 'true', null, undefined, {}]

function refusedCases(queued: StoredJob, running: StoredJob): readonly Case[] {
  const token = running.job.token ?? ''
  const command = (field: string, what: unknown, fields: object, code = invalid): Case => {
    return [field, what, { job: queued, command: fields }, code]
  }
  const ending = (field: string, what: unknown, fields: object, code = invalid): Case => {
    return [field, what, { job: running, command: { type: 'finish', token, ending: fields } }, code]
  }
  const failed = { kind: 'failed', error: 'x', terminal: false, random: 0 }
  const snoozed = { kind: 'snoozed', delayMs: 1, random: 0 }
  const suspended = { kind: 'suspended', awaits: null, until: null }
  const edit = (changes: unknown) => ({ type: 'edit', changes })
  const cancel = { type: 'cancel', reason: 'test' }
  return [
    ...noObjects.map((value): Case => ['a request', value, value, invalid]),
    ...noObjects.map((value): Case => ['command', value, { job: queued, command: value }, invalid]),
    ...[null, undefined, 5, true, {}, [], { job: {} }, { job: queued.job }, { job: queued.job, guard: {} }].map(
      (job): Case => ['job', job, { job, command: cancel }, invalid],
    ),
    ...[undefined, null, 5, '', 'submit', 'claim', 'ingest', '__proto__', 'toString'].map((type) =>
      command('command.type', type, { type }),
    ),
    ...unstorableTexts.map((reason) => command('reason', reason, { type: 'cancel', reason }, 'invalid_json')),
    ...[...noTexts, '', null, undefined, textOfBytes(4_097)].map((reason) =>
      command('reason', reason, { ...cancel, reason }),
    ),
    ...unstorableTexts.map((reason) =>
      command('reason', reason, { type: 'skip', reason, cancelled: true }, 'invalid_json'),
    ),
    ...noBooleans.map((cancelled) => command('cancelled', cancelled, { type: 'skip', reason: 'x', cancelled })),
    ...noRandom.flatMap((random) => [
      command('random', random, { type: 'elapse', random }),
      command('random', random, { type: 'lose', token, random, alone: true }),
      ending('ending.random', random, { ...failed, random }),
      ending('ending.random', random, { ...snoozed, random }),
    ]),
    ...noBooleans.map((alone) => command('alone', alone, { type: 'lose', token, random: 0, alone })),
    ...noObjects.map((changes) => command('changes', changes, edit(changes))),
    ...['state', 'attempt', 'id', 'name', '__proto__x', 'released'].map((name) =>
      command(name, name, edit({ [name]: 1 })),
    ),
    ...[...noIntegers, null].flatMap((value) => [
      command('priority', value, edit({ priority: value })),
      command('position', value, edit({ position: value })),
      command('scheduledFor', value, edit({ scheduledFor: value })),
    ]),
    ...[1_000_001, -1_000_001].map((priority) => command('priority', priority, edit({ priority }))),
    ...[5, null, undefined, {}].map((given) => command('token', given, { type: 'giveBack', token: given })),
    ...noObjects.map((value): Case => {
      return ['ending', value, { job: running, command: { type: 'finish', token, ending: value } }, invalid]
    }),
    ...[undefined, 'x', 5, '__proto__'].map((kind) => ending('ending.kind', kind, { kind })),
    ...[...noTexts, null, undefined].map((error) => ending('ending.error', error, { ...failed, error })),
    ...noBooleans.map((terminal) => ending('ending.terminal', terminal, { ...failed, terminal })),
    ...[...noIntegers, -1, null].map((delayMs) => ending('ending.delayMs', delayMs, { ...snoozed, delayMs })),
    ...[...noIntegers, -1].map((until) => ending('ending.until', until, { ...suspended, until })),
    ...[5, 'x', [], {}].map((awaits) => ending('awaits', awaits, { ...suspended, awaits })),
    ...[5, 'x', [], null].map((facts) => ending('ending.facts', facts, { ...failed, facts })),
    ...[...noIntegers, 2 ** 31].map((exitCode) => ending('exitCode', exitCode, { ...failed, facts: { exitCode } })),
    ...[5, 'x', [5], [null]].map((artifacts) => ending('artifacts', artifacts, { ...failed, facts: { artifacts } })),
    ...[5, {}, null].map((logPath) => ending('logPath', logPath, { ...failed, facts: { logPath } })),
    ...[suspended, snoozed, { kind: 'cancelled' }].map((answer) =>
      command('answer', answer, { type: 'answer', answer }),
    ),
    ...unstorableTexts.map((actor): Case => {
      return ['context.actor', actor, { job: queued, command: cancel, context: { actor } }, 'invalid_json']
    }),
    ...[5, 'x', [], null].map(
      (context): Case => ['context', context, { job: queued, command: cancel, context }, invalid],
    ),
    ...noTexts.map((result): Case => ['result', result, { ...completion(running), result }, invalid]),
    ...unstorableTexts.map((result): Case => ['result', result, completion(running, result), 'invalid_json']),
    ['result', 'too large', completion(running, textOfBytes(1_048_577)), 'payload_too_large'],
    ...noTexts.map((params): Case => ['params', params, { job: queued, command: edit({}), params }, invalid]),
    ...unstorableTexts.map(
      (params): Case => ['params', params, { job: queued, command: edit({}), params }, 'invalid_json'],
    ),
    ...[
      '',
      'x',
      'a\0',
      '\ud800',
      '%',
      `${queued.job.id} `,
      queued.job.id.toUpperCase(),
      newId(),
      queued.job.name,
    ].flatMap((job): readonly Case[] => [
      ['', job, { job, command: cancel }, 'not_found'],
      [
        '',
        job,
        { job, command: { type: 'finish', token, ending: { ...suspended, awaits: { events: [] } } } },
        'not_found',
      ],
    ]),
  ]
}

export function commandInputs(setup: Setup): void {
  describe('hostile commands', () => {
    it('are refused with a code and the name of the field, and change nothing', async () => {
      const fixture = await setup()
      const { store } = fixture
      await submitOne(store)
      const running = await claimOne(store)
      const queued = await submitOne(store, { params: '{"v":1}' })
      const before = await rowCounts(fixture)
      const cases = refusedCases(queued, running)
      const answers = await store.apply(cases.map(([, , given]) => given as ApplyRequest))
      const wrong = cases.flatMap(([field, what, , code], i) => {
        const found = refusalOf(answers[i], field)
        return found === code ? [] : [`${field} ${label(what)}: ${found} instead of ${code}`]
      })
      expect(wrong).toEqual([])
      expect(cases.length).toBeGreaterThan(300)
      expect(await rowCounts(fixture)).toEqual(before)
      expect(await store.find([{ id: running.job.id }, { id: queued.job.id }])).toEqual([running, queued])
      for (const now of [...noIntegers, -1, null] as number[]) {
        for (const call of [
          store.submit([submission()], { now }),
          store.apply([], { now }),
          store.append([], { now }),
        ]) {
          await expect(call, label(now)).rejects.toMatchObject({
            code: invalid,
            message: expect.stringContaining('now'),
          })
        }
      }
      expect(await rowCounts(fixture)).toEqual(before)
    })

    it('what a handler says reaches the job, made to fit', async () => {
      const { store } = await setup()
      const long = 'x\0'.repeat(5_000_000)
      const errors = [...unstorableTexts, ...strangeTexts, '', long, '💥'.repeat(40_000), `${'x'.repeat(65_535)}💥`]
      await store.submit(errors.map(() => submission()))
      const running = await store.claim(claimOf({ limit: 1_000 }))
      const ends = errors.map((error, i): ApplyRequest => {
        const facts = { exitCode: -1, logPath: error, artifacts: [error, 'ok'] }
        return finish(running[i] as StoredJob, { kind: 'failed', error, terminal: i % 2 === 0, random: 0.5, facts })
      })
      const answers = await store.apply(ends)
      // The answer was lost on the way: the same again is success.
      expect((await store.apply(ends)).map(codeOf)).toEqual(ends.map(() => 'ok'))
      for (const [i, error] of errors.entries()) {
        const { job } = applied(answers[i])
        expect(job).toMatchObject({ state: i % 2 === 0 ? 'final' : 'error', charged: 1 })
        const text = job.error ?? ''
        expect(text).not.toBe('')
        expect(text.includes('\0') || !text.isWellFormed() || text.length > 65_700).toBe(false)
        if (strangeTexts.includes(error)) expect(text).toBe(error)
        const [run] = await store.runs(job.id)
        expect(run).toMatchObject({ status: 'FAILED', error: text, exitCode: -1 })
        if (strangeTexts.includes(error)) expect(run).toMatchObject({ logPath: error, artifacts: [error, 'ok'] })
      }
      expect(await store.find(running.map(({ job }) => ({ id: job.id })))).toEqual(answers.map(applied))
      expect(await verify(store)).toEqual([])
    })

    it('with strange texts are stored and come back as they were', async () => {
      const { store } = await setup()
      const texts = [...strangeTexts, '', '{"b":1,"a":1.10,"a":2}', '"\\u0000\\ud800"', textOfBytes(1_048_576)]
      await store.submit(texts.map(() => submission({ type: 'run' })))
      const running = await store.claim(claimOf({ types: ['run'], limit: 1_000 }))
      const completed = await store.apply(texts.map((text, i) => completion(running[i] as StoredJob, text)))
      expect(completed.map((result) => applied(result).result)).toEqual(texts)
      expect(await store.find(running.map(({ job }) => ({ id: job.id })))).toEqual(completed.map(applied))

      const edited = await store.submit(texts.map(() => submission({ params: '{"v":1}' })))
      const edits = edited.map((result, i): ApplyRequest => {
        const id = 'stored' in result ? result.stored.job.id : ''
        return { job: id, command: { type: 'edit', changes: {} }, params: texts[i] as string }
      })
      expect((await store.apply(edits)).map((result) => applied(result).params)).toEqual(texts)
      const cancels = edits.flatMap(({ job }, i): ApplyRequest[] => {
        const reason = strangeTexts[i]
        return reason === undefined ? [] : [{ job, command: { type: 'cancel', reason }, context: { actor: reason } }]
      })
      expect((await store.apply(cancels)).map((result) => applied(result).job.error)).toEqual(strangeTexts)
      expect(await verify(store)).toEqual([])
    })

    it('with a result or params where none belong leave the job as it is', async () => {
      const { store } = await setup()
      const [a, b] = await Promise.all(times(2, () => submitOne(store, { params: '{"v":1}' })))
      if (a === undefined || b === undefined) throw new Error('Two jobs were expected.')
      const cancel = { type: 'cancel', reason: 'test' } as const
      await store.apply([{ job: a, command: cancel, params: '{"v":2}', result: '2' }])
      const running = await claimOne(store)
      await store.apply([{ ...failure(running), params: '{"v":2}', result: '2' }])
      for (const stored of await store.find([{ id: a.job.id }, { id: b.job.id }])) {
        expect(stored).toMatchObject({ params: '{"v":1}', result: null })
      }
      expect(await verify(store)).toEqual([])
    })
  })
}
