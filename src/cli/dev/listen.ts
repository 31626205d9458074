import type { Server, ServerOptions } from '../../http/server.ts'
import { Failure } from '../exit.ts'

const firstPort = 4_600
const portsTried = 20

/** Listens at a port that was asked for, or at the first that is free. Tells which ones were not. */
export async function listen(
  options: Omit<ServerOptions, 'port'>,
  asked: number | null,
): Promise<{ readonly server: Server; readonly taken: readonly number[] }> {
  const { startServer } = await import('../../http/server.ts')
  if (asked !== null) return { server: await startAt(startServer, options, asked), taken: [] }
  const taken: number[] = []
  for (let port = firstPort; port < firstPort + portsTried; port++) {
    try {
      return { server: await startServer({ ...options, port }), taken }
    } catch (error) {
      if (!isTaken(error)) throw error
      taken.push(port)
    }
  }
  throw new Failure(
    'conflict',
    `All ports from ${firstPort} to ${firstPort + portsTried - 1} are taken.`,
    'Choose one: --port 5000.',
  )
}

/** At one port, or not at all. */
export async function startAt(
  start: (options: ServerOptions) => Promise<Server>,
  options: Omit<ServerOptions, 'port'>,
  port: number,
): Promise<Server> {
  try {
    return await start({ ...options, port })
  } catch (error) {
    if (!isTaken(error)) throw error
    const hint = 'Something else listens there. Choose another with --port, or 0 for any that is free.'
    throw new Failure('conflict', `Port ${port} is taken.`, hint)
  }
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'EADDRINUSE'
}
