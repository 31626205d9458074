import type { RemoteWorker } from 'stint/client'

/** Whether it takes work of people: each server has a worker for what it does in the background, which takes nothing else. */
export function isForOthers({ paths }: Pick<RemoteWorker, 'paths'>): boolean {
  return paths === null || paths.some((path) => !path.startsWith('/~'))
}
