import { describe, expect, expectTypeOf, it } from 'vitest'
import type { JobHandle, Json, Stint } from '../../src/index.ts'
import { defineJob } from '../../src/index.ts'
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

describe('defineJob', () => {
  it('is checked by the compiler, and by itself for those who have none', () => {
    expect(uses).toBeInstanceOf(Function)
    expect(report).toMatchObject({ type: 'report', params: daySchema })
    expect(Object.isFrozen(report)).toBe(true)
    const refused = expect.objectContaining({ code: 'invalid_argument' })
    expect(() => defineJob('a b', { run: () => null })).toThrow(refused)
    expect(() => defineJob('x', {} as never)).toThrow(refused)
    expect(() => defineJob('x', { params: {}, run: () => null } as never)).toThrow(refused)
  })
})
