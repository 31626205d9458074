import { defineJob, TerminalError } from '../../src/index.ts'
import { createTestStint } from '../../src/testing/index.ts'

const stepMs = 10_000
const steps = 330

const mail = defineJob('send-mail', {
  run: ({ params }) => {
    const { n } = params as { n: number }
    if (n % 211 === 0) throw new TerminalError(`550 no mailbox customer-${n}@example.invalid`)
    return 'sent'
  },
})

/** An hour of an ordinary day in a database, for pictures: more in its middle than at its ends, and now and then a failure. */
export async function writeHistory(url: string): Promise<void> {
  const from = Math.floor(Date.now() / stepMs) * stepMs - steps * stepMs
  const { stint, drain, clock, close } = await createTestStint({ url, jobs: [mail], now: new Date(from) })
  let n = 0
  for (let step = 0; step < steps; step++) {
    const wave = 24 + 12 * Math.sin(step / 31) + 7 * Math.sin(step / 7.3) + ((step * step * 31 + step * 17) % 13)
    const items = Array.from({ length: Math.max(1, Math.round(wave)) }, () => {
      n += 1
      return { job: mail, params: { n }, options: { name: `/shop/mails/order-${n}`, labels: { team: 'shop' } } }
    })
    await stint.submitMany(items)
    await drain()
    await clock.advance(stepMs)
  }
  await close()
}
