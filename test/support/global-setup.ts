import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A database on a real PostgreSQL. All test files share it, so each test makes a schema or a database of its own. */
    postgresUrl: string
    postgresVersion: string
  }
}

/** Starts PostgreSQL once for the whole run; what is returned runs after the last test. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  project.provide('postgresVersion', server.version)
  return () => server.stop()
}
