/**
 * Stint as it is published: the code is that of `dist`. The types are those of the sources, so that nothing has to be built
 * before the type checker can run.
 */
const built = (await import(
  new URL('../../dist/index.js', import.meta.url).href
)) as typeof import('../../src/index.ts')

export const { createStint, defineJob, definePipeline, defineShardedJob } = built
