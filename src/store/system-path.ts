import { JobName } from '../core/names/job-name.ts'

/** The namespace of what Stint keeps for itself. */
export const systemNamespace = '~stint'

/** Where something of Stint's own stands in the tree. */
export function systemPath(...components: readonly string[]): string {
  return components.reduce((name, component) => name.child(component), JobName.root(systemNamespace)).toWire()
}

/** Whether a name or path is that of something of Stint's own. */
export function isSystemPath(path: unknown): boolean {
  return typeof path === 'string' && (path === `/${systemNamespace}` || path.startsWith(`/${systemNamespace}/`))
}
