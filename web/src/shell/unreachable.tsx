import { useEffect } from 'react'
import { Failure } from '../ui/states.tsx'
import { Brand } from './brand.tsx'

const againMs = 3_000

/** The server does not answer: it is asked again and again, and the page comes by itself. */
export function Unreachable({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  useEffect(() => {
    const timer = setInterval(retry, againMs)
    return () => clearInterval(timer)
  }, [retry])
  return (
    <main className="mx-auto max-w-[34rem] px-6 pt-[18vh]">
      <Brand />
      <Failure error={error} retry={retry} />
      <p className="text-ink-3">It is tried again every few seconds.</p>
    </main>
  )
}
