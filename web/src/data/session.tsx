import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react'
import { type AccessView, type Client, connect, StintError } from 'stint/client'
import { apiUrl } from './base.ts'
import { recall, remember } from './stored.ts'

type Role = AccessView['role']

/** Each may do what those before it may. */
const ladder: readonly Role[] = ['read', 'submit', 'work', 'admin']

/** Who looks, and through what. */
export interface Session {
  readonly client: Client
  readonly key: string | null
  readonly access: AccessView
  may(role: Role): boolean
  signOut(): void
}

export type SessionState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'signed-out'; readonly refused: string | null; signIn(key: string, stays: boolean): void }
  | { readonly kind: 'unreachable'; readonly error: Error; retry(): void }
  | { readonly kind: 'signed-in'; readonly session: Session }

const SessionContext = createContext<Session | null>(null)

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>
}

export function useSession(): Session {
  const session = use(SessionContext)
  if (session === null) throw new Error('There is no session here.')
  return session
}

/** Asks the server who we are: with the key that is remembered, or none where none is needed. */
export function useSessionState(): SessionState {
  const [key, setKey] = useState(() => recall('key', sessionStorage) ?? recall('key'))
  const [answer, setAnswer] = useState<{ access: AccessView; client: Client } | Error | null>(null)
  const [tries, setTries] = useState(0)

  useEffect(() => {
    let isOver = false
    void tries
    const client = connect({ url: apiUrl, ...(key === null ? {} : { key }) })
    setAnswer(null)
    client.access().then(
      (access) => !isOver && setAnswer({ access, client }),
      (error: Error) => !isOver && setAnswer(error),
    )
    return () => {
      isOver = true
    }
  }, [key, tries])

  const signIn = useCallback((given: string, stays: boolean) => {
    remember('key', given, stays ? localStorage : sessionStorage)
    setKey(given)
    setTries((n) => n + 1)
  }, [])
  const signOut = useCallback(() => {
    remember('key', null)
    remember('key', null, sessionStorage)
    setKey(null)
    setTries((n) => n + 1)
  }, [])

  return useMemo(() => {
    if (answer === null) return { kind: 'asking' }
    if (!(answer instanceof Error)) {
      const { access, client } = answer
      const may = (role: Role) => ladder.indexOf(access.role) >= ladder.indexOf(role)
      return { kind: 'signed-in', session: { client, key, access, may, signOut } }
    }
    if (answer instanceof StintError && answer.code === 'unauthorized')
      return { kind: 'signed-out', refused: key === null ? null : answer.message, signIn }
    return { kind: 'unreachable', error: answer, retry: () => setTries((n) => n + 1) }
  }, [answer, key, signIn, signOut])
}
