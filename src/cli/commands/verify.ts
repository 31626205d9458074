import type { Difference } from '../../store/verify.ts'
import { command } from '../command.ts'
import { databaseOf, shownUrl } from '../database.ts'
import { Failure } from '../exit.ts'
import { shapeOf } from '../shapes/fields.ts'

const shape = shapeOf<Difference>({
  name: ({ jobId }) => jobId ?? '',
  none: 'No differences.',
  fields: [
    { title: 'job', text: ({ jobId }) => jobId ?? '–', column: 'plain' },
    { title: 'field', text: ({ field }) => field, column: 'plain' },
    { title: 'stored', text: ({ stored }) => JSON.stringify(stored) ?? 'undefined', column: 'shrinks' },
    { title: 'derived', text: ({ derived }) => JSON.stringify(derived) ?? 'undefined', column: 'shrinks' },
  ],
})

export const verify = command({
  name: 'verify',
  summary: 'Derives every job from its events again, and shows where that differs from what is stored.',
  details: 'It only reads, and can run while others work. Exit code 1 if there is a difference.',
  needs: 'database',
  prints: true,
  examples: [
    ['stint verify', 'The database of `stint dev` here.'],
    ['stint verify --db postgres://localhost/app', 'Another database.'],
  ],
  run: async (call) => {
    const stint = await call.stint()
    const began = performance.now()
    const { differences } = await stint.verify()
    if (!call.print.isForPeople || differences.length > 0) call.print.list(differences, shape)
    const { value } = databaseOf(call.settings, call.common)
    const took = `${Math.round(performance.now() - began)} ms`
    call.say(`${shownUrl(value)}: ${differences.length} differences, in ${took}.`)
    if (differences.length > 0) throw new Failure('failed', '')
  },
})
