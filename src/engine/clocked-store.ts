import type { AtTime, Store } from '../store/store.ts'
import type { Clock } from './clock.ts'
import { overriding } from './observed-store.ts'

/** A store for which it is always the time of a clock. Its heartbeats follow that clock, too, so no thread beats them. */
export function clocked(store: Store, clock: Pick<Clock, 'now'>): Store {
  const at = <T extends AtTime>(request: T): T => ({ now: clock.now(), ...request })
  const hidden: Partial<Store> = { heartbeat: undefined as never }
  return overriding(store, {
    ...hidden,
    now: () => Promise.resolve(clock.now()),
    submit: (submissions, options) => store.submit(submissions, at(options ?? {})),
    claim: (request) => store.claim(at(request)),
    apply: (requests, options) => store.apply(requests, at(options ?? {})),
    complete: (completions, options) => store.complete(completions, at(options ?? {})),
    move: (request, options) => store.move(request, at(options ?? {})),
    pause: (request, options) => store.pause(request, at(options ?? {})),
    control: (name, input, options) => store.control(name, input, at(options ?? {})),
    append: (events, options) => store.append(events, at(options ?? {})),
    register: (worker, options) => store.register(worker, at(options ?? {})),
    renew: (request) => store.renew(at(request)),
    buryLost: (options) => store.buryLost(at(options ?? {})),
    overdue: (request) => store.overdue(at(request)),
    followUp: (request) => store.followUp(at(request)),
    report: (reports, options) => store.report(reports, at(options ?? {})),
  })
}
