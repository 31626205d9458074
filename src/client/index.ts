import { Client } from './client.ts'
import type { ConnectOptions } from './transport.ts'

export type { ErrorCode, ErrorDetails } from '../core/errors.ts'
export { StintError } from '../core/errors.ts'
export { Slot } from '../engine/slots/slot.ts'
export { Client } from './client.ts'
export type { NewOperation, OperationFilter, OperationView } from './operations.ts'
export type { StreamedEntry, StreamOptions } from './stream.ts'
export type { RemoteSubmitItem, RemoteSubmitOptions } from './submission.ts'
export type { ConnectOptions } from './transport.ts'
export type { KeyView, NewKey, RemoteEntry, RemoteWorker } from './views.ts'
export type { DeliveryDetails, DeliveryView, NewWebhook, WebhookView } from './webhooks.ts'

/** Stint on a server elsewhere. */
export function connect(options: ConnectOptions): Client {
  return new Client(options)
}
