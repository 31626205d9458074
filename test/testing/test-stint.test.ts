import { expect, it, onTestFinished } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { createTestStint } from '../../src/testing/index.ts'

it('drains a job whose end the store refuses: it has failed, and says why', async () => {
  const wrong = defineJob('wrong', { run: (ctx) => ctx.later({ events: [{ eventType: '' }] }) })
  const kit = await createTestStint({ jobs: [wrong] })
  onTestFinished(() => kit.close())
  const job = await kit.stint.submit(wrong)
  await kit.drain()
  await expect(job.result({ timeoutMs: 1 })).rejects.toMatchObject({
    code: 'job_failed',
    message: /awaits\.events\[0\]/,
  })
})
