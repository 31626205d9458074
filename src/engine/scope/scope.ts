import { StintError, show } from '../../core/errors.ts'
import { isPath } from '../../core/gates/limit.ts'
import { JobName } from '../../core/names/job-name.ts'

/** A branch of the tree: whoever is bound to it sees and changes what stands at its path or below, and nothing else. */
export class Scope {
  readonly path: JobName

  constructor(path: JobName) {
    this.path = path
  }

  /** Whether a name or path lies in it. What is no name at all lies nowhere. */
  covers(name: unknown): boolean {
    const text = this.path.toWire()
    return typeof name === 'string' && (name === text || name.startsWith(`${text}/`))
  }

  /** What of a branch lies in it: the branch, or the scope where the branch is larger; null when they have nothing in common. */
  narrowed(branch: string | undefined): string | null {
    if (branch === undefined) return this.path.toWire()
    if (this.covers(branch)) return branch
    return JobName.parse(branch).isAncestorOf(this.path) ? this.path.toWire() : null
  }

  /** Refuses a name or path that lies elsewhere. What is no name is left to those who know the rules of names. */
  require(name: unknown, field: string): void {
    if (typeof name === 'string' && name.startsWith('/') && !this.covers(name)) throw this.elsewhere(field, name)
  }

  /** A limit is shared by all who name it, so only one that is a path of the branch is sure to be its own. */
  ownsLimit(key: unknown): boolean {
    return typeof key === 'string' && isPath(key) && this.covers(key)
  }

  /** Refuses limits that others may keep to, wherever they are named. What is no list is left to those who check lists. */
  requireLimits(limits: unknown): void {
    for (const limit of Array.isArray(limits) ? limits : []) {
      const key: unknown = limit?.key
      if (!this.ownsLimit(key)) throw this.elsewhere('limits.key', key)
    }
  }

  elsewhere(field: string, value: unknown): StintError {
    const rule = `must be at or below ${this.path}, which is all that this access reaches`
    return new StintError('forbidden', `${field} ${rule}; got ${show(value)}.`, { field, rule })
  }

  /** For what concerns everybody. */
  refuse(what: string): StintError {
    return new StintError('forbidden', `${what} needs access to everything; this one reaches ${this.path}.`, {
      path: this.path.toWire(),
    })
  }
}
