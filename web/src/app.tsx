import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo } from 'react'
import { StintError } from 'stint/client'
import { LiveProvider } from './data/live-context.tsx'
import { PreferencesProvider } from './data/preferences.tsx'
import { type Session, SessionProvider, useSessionState } from './data/session.tsx'
import { router } from './router.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { Unreachable } from './shell/unreachable.tsx'
import { ToastProvider } from './ui/toasts.tsx'

export function App() {
  return (
    <PreferencesProvider>
      <Entrance />
    </PreferencesProvider>
  )
}

function Entrance() {
  const state = useSessionState()
  switch (state.kind) {
    case 'asking':
      return null
    case 'signed-out':
      return <SignIn refused={state.refused} signIn={state.signIn} />
    case 'unreachable':
      return <Unreachable error={state.error} retry={state.retry} />
    case 'signed-in':
      return <Inside session={state.session} />
  }
}

function Inside({ session }: { readonly session: Session }) {
  // What one key was shown is nothing for the next.
  const queries = useMemo(() => queryClientFor(session), [session])
  return (
    <SessionProvider session={session}>
      <QueryClientProvider client={queries}>
        <LiveProvider>
          <ToastProvider>
            <RouterProvider router={router} />
          </ToastProvider>
        </LiveProvider>
      </QueryClientProvider>
    </SessionProvider>
  )
}

function queryClientFor(session: Session): QueryClient {
  return new QueryClient({
    // A key that was revoked opens nothing any more.
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof StintError && error.code === 'unauthorized') session.signOut()
      },
    }),
    // The client itself sends again what can be sent again; the stream says when something changed.
    defaultOptions: { queries: { retry: false, staleTime: 2_000, refetchOnWindowFocus: false } },
  })
}
