export { FakeClock } from './fake-clock.ts'
export type { TestStint, TestStintOptions } from './test-stint.ts'
export { createTestStint } from './test-stint.ts'
