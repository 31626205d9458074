import { useLocation, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

type Values = Readonly<Record<string, string | undefined>>

/**
 * What a page shows stands in its address: filters, tabs, selections. So it survives a reload, can be sent to somebody, and the
 * back button works. All values are text; what is undefined or empty is left out.
 */
export function useUrlState(): readonly [Values, (changes: Values, how?: { readonly push?: boolean }) => void] {
  const search: Values = useLocation().search
  const navigate = useNavigate()
  const change = useCallback(
    (changes: Values, { push = false } = {}) => {
      void navigate({
        to: '.',
        search: ((before: Values) => withoutEmpty({ ...before, ...changes })) as never,
        replace: !push,
        resetScroll: false,
      })
    },
    [navigate],
  )
  return [search, change]
}

export function withoutEmpty(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''))
}
