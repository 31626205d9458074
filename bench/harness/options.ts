import { parseArgs } from 'node:util'

export interface Options {
  /** One JSON document on standard output instead of tables. */
  readonly json: boolean
  readonly quick: boolean
  /** Also writes tables, plots and the JSON document to docs/. */
  readonly writeDocs: boolean
  readonly jobs: number
  readonly rounds: number
  /** Only systems whose name holds this text. */
  readonly only: string
}

/** `--quick` is for a look: less of everything, one round. `--jobs` and `--rounds` say it exactly. */
export function readOptions(usual: { jobs: number; rounds: number }, quick: { jobs: number; rounds: number }): Options {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      'write-docs': { type: 'boolean', default: false },
      jobs: { type: 'string' },
      rounds: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  })
  const size = values.quick ? quick : usual
  return {
    json: values.json,
    quick: values.quick,
    writeDocs: values['write-docs'],
    jobs: positive('jobs', values.jobs) ?? size.jobs,
    rounds: positive('rounds', values.rounds) ?? size.rounds,
    only: values.only,
  }
}

function positive(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a whole number above 0; got ${text}.`)
  return number
}
