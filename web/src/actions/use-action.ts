import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useSession } from '../data/session.tsx'
import { useSay } from '../ui/toasts.tsx'
import type { Action } from './action.ts'

/** Does an action, says what became of it, and lets everything that is shown be read again. */
export function useAction<Result>(onDone?: (result: Result) => void) {
  const { client } = useSession()
  const queries = useQueryClient()
  const say = useSay()
  return useMutation({
    mutationFn: async (action: Action<Result>) => ({ action, result: await action.run(client) }),
    onSuccess: ({ action, result }) => {
      say('ok', action.done)
      onDone?.(result)
      void queries.invalidateQueries()
    },
    onError: (error) => say('fail', error.message),
  })
}
