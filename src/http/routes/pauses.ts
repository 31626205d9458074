import type { z } from 'zod'
import { StintError, show } from '../../core/errors.ts'
import type { PauseTarget } from '../../engine/gates-api.ts'
import type { Stint } from '../../engine/stint.ts'
import type { PauseRow } from '../../store/store.ts'
import { type Route, route } from '../route.ts'
import { page } from '../schemas/common.ts'
import { newPause, pause, pauseTarget } from '../schemas/pauses.ts'
import { defined } from './common.ts'

const tag = 'Gates'

/** Whether it is a branch or a type is seen by the library. */
function targetOf(stint: Stint, { path, type }: z.output<typeof pauseTarget>): PauseTarget {
  return defined({ path: path === undefined ? undefined : stint.resolve(path), type }) as PauseTarget
}

async function allPauses(stint: Stint) {
  const { items, cursor } = await stint.pauses.list()
  return { items: items.map((row: PauseRow) => ({ ...row, since: new Date(row.since) })), cursor }
}

function notPaused(target: z.output<typeof pauseTarget>): StintError {
  return new StintError('not_found', `${show(target.path ?? target.type)} is not paused.`, defined(target))
}

export const pauseRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/pauses',
    id: 'pause',
    tag,
    summary: 'From now on no job of a branch or a type starts; what runs goes on.',
    role: 'admin',
    body: newPause,
    status: 201,
    response: pause,
    run: async ({ stint, body: { reason, ...given } }) => {
      const target = targetOf(stint, given)
      await stint.pause(target, defined({ reason }))
      const { path, type } = target as { path?: string; type?: string }
      const made = (await allPauses(stint)).items.find((row) => {
        return type === undefined ? row.path === path : row.type === type
      })
      if (made === undefined) throw notPaused(given)
      return made
    },
  }),
  route({
    method: 'get',
    path: '/pauses',
    id: 'listPauses',
    tag,
    summary: 'What is paused.',
    role: 'read',
    response: page(pause),
    run: ({ stint }) => allPauses(stint),
  }),
  route({
    method: 'delete',
    path: '/pauses',
    id: 'resume',
    tag,
    summary: 'Lets the jobs of a branch or a type start again.',
    role: 'admin',
    query: pauseTarget,
    status: 204,
    run: async ({ stint, query }) => {
      if (!(await stint.resume(targetOf(stint, query)))) throw notPaused(query)
    },
  }),
]
