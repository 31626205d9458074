import { StintError } from '../errors.ts'

/** What a key allows, the least first: each allows what those before it do. */
export const roles = ['read', 'submit', 'work', 'admin'] as const

export type Role = (typeof roles)[number]

export function allows(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed)
}

/** A key as it is kept: what was given to its owner is known to nobody else, only its hash. */
export interface Key {
  /** A name for people. */
  readonly label: string
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly hash: string
  /** The branch that it reaches; null for everything. */
  readonly scope: string | null
  readonly role: Role
  /** From then on it is not taken any more; null for never. */
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

/** A key that was revoked stays so, and revoking it again changes nothing. */
export function revokeKey(key: Key, now: number): Key {
  return key.revokedAt === null ? { ...key, revokedAt: now } : key
}

export function isInForce({ expiresAt, revokedAt }: Key, now: number): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt)
}

/** Nobody gives away more than they have. */
export function requireGrant(own: Role, given: Role): void {
  if (allows(own, given)) return
  throw new StintError('forbidden', `A key of the role ${own} cannot make one of the role ${given}.`, { field: 'role' })
}
