import { describe, expect, it } from 'vitest'
import { allows, isInForce, type Key, requireGrant, revokeKey, roles } from '../../../src/core/access/key.ts'

const key: Key = { label: 'ci', hash: 'x', scope: null, role: 'read', expiresAt: null, revokedAt: null }

describe('roles', () => {
  it('each allows what those before it do, and nothing more', () => {
    for (const [i, role] of roles.entries()) {
      expect(roles.map((needed) => allows(role, needed))).toEqual(roles.map((_, j) => j <= i))
    }
  })

  it('nobody gives away more than they have', () => {
    expect(() => requireGrant('admin', 'admin')).not.toThrow()
    expect(() => requireGrant('work', 'admin')).toThrow(expect.objectContaining({ code: 'forbidden' }))
  })
})

describe('a key', () => {
  it('is in force until it expires', () => {
    expect(isInForce(key, 1)).toBe(true)
    expect(isInForce({ ...key, expiresAt: 10 }, 9)).toBe(true)
    expect(isInForce({ ...key, expiresAt: 10 }, 10)).toBe(false)
  })

  it('is not in force once it is revoked, and stays revoked as it was', () => {
    const revoked = revokeKey(key, 5)
    expect(isInForce(revoked, 6)).toBe(false)
    expect(revokeKey(revoked, 9)).toBe(revoked)
  })
})
