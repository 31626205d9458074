import { describe, expect, expectTypeOf, it } from 'vitest'
import type { JobHandle, Json, Slot, Stint } from '../../src/index.ts'
import { defineJob, definePipeline } from '../../src/index.ts'
import { daySchema } from '../support/stint.ts'

const report = defineJob('report', {
  params: daySchema,
  run: ({ params }) => {
    expectTypeOf(params).toEqualTypeOf<{ day: Date }>()
    return { year: params.day.getUTCFullYear() }
  },
})
const mail = defineJob('mail', { run: ({ params }: { params: { to: string } }) => params.to.length })
const maybe = defineJob('maybe', {
  run: (ctx) => {
    if (ctx.attempt === 1) return ctx.later()
    return ctx.attempt === 2 ? ctx.retryIn(5) : 'text'
  },
})

/** Never called: the compiler reads it, and says so when a wrong use is no longer refused. */
async function uses(stint: Stint): Promise<void> {
  expectTypeOf(await stint.submit(report, { day: '2026-01-01' })).toEqualTypeOf<JobHandle<{ year: number }>>()
  expectTypeOf(await (await stint.submit(mail, { to: 'ada' })).result()).toEqualTypeOf<number>()
  expectTypeOf(await (await stint.submit(maybe)).result()).toEqualTypeOf<string>()
  expectTypeOf(await (await stint.submit('any', { x: 1 })).result()).toEqualTypeOf<Json>()

  // @ts-expect-error A day is a text when it is submitted.
  await stint.submit(report, { day: new Date() })
  // @ts-expect-error The day is missing.
  await stint.submit(report, {})
  // @ts-expect-error Params that must be something cannot be left out.
  await stint.submit(report)
  // @ts-expect-error The handler wants a text.
  await stint.submit(mail, { to: 5 })
  // @ts-expect-error There is no such option.
  await stint.submit(mail, { to: 'ada' }, { nmae: '/a/b' })
  // @ts-expect-error The result is a number.
  const wrong: string = await (await stint.submit(mail, { to: 'ada' })).result()
  expect(wrong).toBeDefined()

  defineJob('inner', {
    run: async (ctx) => {
      expectTypeOf(await (await ctx.submit(report, { day: 'x' })).result()).toEqualTypeOf<{ year: number }>()
      // @ts-expect-error Also from within a handler.
      await ctx.submit(mail, { to: 5 })
    },
  })
}

const order = defineJob('order', {
  run: ({ params }: { params: { to: { name: string }; cents: readonly number[] } }) => params.cents.length,
})
const counted = defineJob('counted', { run: async (ctx) => (await ctx.submit(mail, { to: 'ada' })).output })
const asked = defineJob('asked', { run: (ctx) => (ctx.attempt === 1 ? ctx.slot<boolean>('ok') : 'text') })
const deliver = definePipeline('deliver', (p, { to }: { to: string }) => {
  const sent = p.run(mail, { to })
  expectTypeOf(sent.output).toEqualTypeOf<Slot<number>>()
  p.run(order, { to: { name: to }, cents: [sent.output, 5] }, { after: [p.promise('ok'), p.delay(5), sent] })
  // @ts-expect-error The output is a number.
  p.run(mail, { to: sent.output })
  // @ts-expect-error Also deep inside.
  p.run(order, { to: { name: sent.output }, cents: [] })
  // @ts-expect-error Also in lists.
  p.run(order, { to: { name: to }, cents: [p.promise<string>('cents')] })
  // @ts-expect-error Names are not waited for.
  p.run(mail, { to }, { after: ['ok'] })
  return sent.output
})
const dated = definePipeline('dated', {
  params: daySchema,
  build: (p, params) => {
    expectTypeOf(params).toEqualTypeOf<{ day: Date }>()
    return Promise.resolve(p.promise<{ ok: boolean }>('approval'))
  },
})

/** Never called, like the other: what may stand for a value that is to come. */
async function slots(stint: Stint, text: Slot<string>, number: Slot<number>): Promise<void> {
  expectTypeOf((await stint.submit(mail, { to: text })).output).toEqualTypeOf<Slot<number>>()
  await stint.submit(mail, await stint.slots.create<{ to: string }>('params'))
  await stint.submit(report, { day: text })
  const names = await stint.slots.create<{ name: string }>('to')
  await stint.submit(order, { to: names, cents: await stint.slots.create<number[]>('cents') })
  await stint.submit(order, { to: { name: text }, cents: [1, number] }, { after: [text, await stint.submit(counted)] })
  // @ts-expect-error The handler wants a text.
  await stint.submit(mail, { to: number })
  // @ts-expect-error The params as a whole are not a text.
  await stint.submit(mail, text)
  // @ts-expect-error A day is a text when it is submitted, also one that is to come.
  await stint.submit(report, { day: await stint.slots.create<Date>('day') })
  // @ts-expect-error A name is a text, also deep inside.
  await stint.submit(order, { to: { name: number }, cents: [] })
  // @ts-expect-error A list of numbers has none that is a text.
  await stint.submit(order, { to: { name: text }, cents: [1, text] })
  // @ts-expect-error There is no such answer to a failure.
  await stint.submit(mail, { to: text }, { onUpstreamFailure: 'fail' })

  defineJob('inner', {
    run: async (ctx) => {
      const made = await ctx.slot<string>('to')
      expectTypeOf(await ctx.submit(mail, { to: made })).toEqualTypeOf<JobHandle<number>>()
      // @ts-expect-error A delay has no text unless it is said.
      await ctx.submit(mail, { to: await ctx.delay('later', new Date()) })
    },
  })

  expectTypeOf(await (await stint.submit(counted)).result()).toEqualTypeOf<number>()
  expectTypeOf(await (await stint.submit(asked)).result()).toEqualTypeOf<string | boolean>()
  expectTypeOf(await (await stint.submit(deliver, { to: 'ada' })).result()).toEqualTypeOf<number>()
  expectTypeOf(await stint.submit(dated, { day: '2026-01-01' })).toEqualTypeOf<JobHandle<{ ok: boolean }>>()
  // @ts-expect-error Params of a pipeline are checked like those of any job.
  await stint.submit(deliver, { to: 5 })

  await stint.slots.fill(number, 5, { by: 'ada' })
  await stint.slots.fill('/default/any', { x: 1 })
  // @ts-expect-error It is to have a number.
  await stint.slots.fill(number, 'five')
  // @ts-expect-error A number is not left out.
  await stint.slots.fill(number, undefined)
  const size = await stint.slots.create<'small' | 'large'>('size')
  await stint.slots.fill(size, 'large')
  // @ts-expect-error One of two texts, and no other.
  await stint.slots.fill(size, 'huge')
}

describe('defineJob', () => {
  it('is checked by the compiler, and by itself for those who have none', () => {
    expect(uses).toBeInstanceOf(Function)
    expect(slots).toBeInstanceOf(Function)
    expect(report).toMatchObject({ type: 'report', params: daySchema })
    expect(Object.isFrozen(report)).toBe(true)
    const refused = expect.objectContaining({ code: 'invalid_argument' })
    expect(() => defineJob('a b', { run: () => null })).toThrow(refused)
    expect(() => defineJob('x', {} as never)).toThrow(refused)
    expect(() => defineJob('x', { params: {}, run: () => null } as never)).toThrow(refused)
  })
})
