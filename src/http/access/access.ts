import { allows, type Role } from '../../core/access/key.ts'
import { StintError } from '../../core/errors.ts'
import type { Stint } from '../../engine/stint.ts'

/** Who asks: what they may do, and Stint as they see it. */
export interface Access {
  /** No two have the same: labels of keys are chosen by whoever makes them. */
  readonly id: string
  /** Stands in the log with whatever they do. */
  readonly actor: string
  readonly role: Role
  /** The branch that they reach; null for everything. */
  readonly path: string | null
  readonly stint: Stint
}

export function requireRole({ role }: Pick<Access, 'role'>, needed: Role): void {
  if (allows(role, needed)) return
  throw new StintError('forbidden', `This needs a key of the role ${needed} or more; this one has ${role}.`, {
    needed,
    role,
  })
}
