import type { Awaitable } from '../awaitable.ts'

/** A name of a namespace, and the attempt that has it. */
export interface EndpointKey {
  readonly namespace: string
  readonly name: string
  /** Key of the job. */
  readonly job: number
  /** Of the attempt that registered it, and with which it ends. */
  readonly token: string
}

/** What an attempt says of itself: under this name it is found at this address. */
export interface Endpoint extends EndpointKey {
  readonly url: string
  readonly registeredAt: number
}

/** One whose attempt is open. */
export interface LiveEndpoint extends Endpoint {
  readonly jobName: string
}

/**
 * Endpoints inside one transaction. Ends of attempts do not touch them: whether one is live is asked when it is read, of the
 * claim of its job, or of the job's row while it awaits something. So claims and completions pay nothing for them.
 */
export interface Endpoints {
  /**
   * Holds the name of an endpoint until the end of the transaction, and gives the live one that has it: that of another
   * attempt, or of this one, or null.
   */
  hold(endpoint: Endpoint): Awaitable<LiveEndpoint | null>
  /** The name, which is held, is that of this endpoint alone. */
  write(endpoint: Endpoint): Awaitable<void>
  /** The live endpoint of a name. */
  find(namespace: string, name: string): Awaitable<LiveEndpoint | null>
  /** The live endpoints of a namespace, by name. */
  page(page: EndpointPage): Awaitable<readonly LiveEndpoint[]>
  /** False when the attempt has no endpoint of this name. */
  remove(key: EndpointKey): Awaitable<boolean>
}

export interface EndpointPage {
  readonly namespace: string
  /** Only names after this one; empty for all. */
  readonly after: string
  readonly limit: number
}
