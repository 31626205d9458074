import type { Context } from '../../core/job/commands.ts'
import type { Store } from '../../store/store.ts'
import { overriding } from '../observed-store.ts'

/** A store that writes into the log who did it. */
export function acting(store: Store, actor: string): Store {
  const by = <Item extends { readonly context?: Context }>(item: Item): Item => {
    return { ...item, context: { ...item.context, actor: item.context?.actor ?? actor } }
  }
  return overriding(store, {
    submit: (submissions, options) => store.submit(submissions.map(by), options),
    apply: (requests, options) => store.apply(requests.map(by), options),
    ...(store.submitWithin === undefined
      ? {}
      : {
          submitWithin: async (client, submissions) => (await store.submitWithin?.(client, submissions.map(by))) ?? [],
        }),
    complete: (completions, options) => store.complete(completions.map(by), options),
    claim: (request) => store.claim(by(request)),
    move: (request, options) => store.move(by(request), options),
    cancelBranch: (request) => store.cancelBranch(by(request)),
    control: (name, input, options) => store.control(name, input, by(options ?? {})),
  })
}

/** A store that others use, too: it is not closed from here. */
export function shared(store: Store): Store {
  return overriding(store, { close: () => Promise.resolve() })
}
