import type { Client } from '../../client/client.ts'
import type { Page } from '../../engine/jobs-api.ts'
import type { RecordsQuery } from '../../engine/record-pages.ts'
import { type Command, command } from '../command.ts'
import { Failure } from '../exit.ts'
import { reference } from '../names.ts'
import type { Shape } from '../output/print.ts'
import { count } from '../values.ts'

interface RecordApi<View> {
  get(ref: string): Promise<View | null>
  list(query: RecordsQuery): Promise<Page<View>>
}

interface About<View> {
  readonly noun: 'schedule' | 'template' | 'group' | 'slot'
  readonly shape: Shape<View>
  readonly api: (client: Client) => RecordApi<View>
  /** What a list leaves out without --all. */
  readonly hides: string
}

/** `list` and `show`, which all kinds of records have. */
export function recordCommands<View extends { readonly path: string }>({
  noun,
  shape,
  api,
  hides,
}: About<View>): readonly Command[] {
  const list = command({
    name: `${noun} list`,
    summary: `Lists ${noun}s, the newest first.`,
    needs: 'server',
    prints: true,
    args: { path: { about: 'Only at this path and below.', optional: true, complete: noun } },
    options: {
      all: { about: `Those that are ${hides}, too.` },
      limit: { value: count(1, 1_000), about: 'At most this many. Default 100.' },
    },
    examples: [
      [`stint ${noun} list`, 'All.'],
      [`stint ${noun} list /reports -o name`, 'Only the paths of those below one.'],
    ],
    run: async (call) => {
      const { all, limit } = call.options
      const { path } = call.args
      const query = {
        ...(all ? { all } : {}),
        ...(limit === undefined ? {} : { limit }),
        ...(path === undefined ? {} : { path: reference(call, path) }),
      }
      call.print.list((await api(await call.client()).list(query)).items, shape)
    },
  })
  const show = command({
    name: `${noun} show`,
    summary: `Shows a ${noun}.`,
    needs: 'server',
    prints: true,
    args: { [noun]: { about: 'Its path or id.', complete: noun } },
    examples: [[`stint ${noun} show /reports/daily`, 'By path.']],
    run: async (call) => {
      const named = reference(call, call.args[noun] ?? '')
      call.print.one(await required(noun, api(await call.client()), named), shape)
    },
  })
  return [list, show]
}

/** By id or path. A path finds also what has left it since, the newest of them, when nothing else has it. */
export async function required<View extends { readonly path: string }>(
  noun: string,
  api: RecordApi<View>,
  named: string,
): Promise<View> {
  const found = (await api.get(named)) ?? (named.startsWith('/') ? await past(api, named) : null)
  if (found === null)
    throw new Failure('notFound', `There is no ${noun} ${named}.`, `See what there is: stint ${noun} list --all`)
  return found
}

async function past<View extends { readonly path: string }>(api: RecordApi<View>, path: string): Promise<View | null> {
  const { items } = await api.list({ path, all: true })
  return items.find((item) => item.path === path) ?? null
}
