import { useEffect, useRef, useState } from 'react'
import type { Layout, LayoutRequest } from './layout.ts'

/** Where everything goes; null until that is known. What was known stays while it is found out anew. */
export function useLayout(request: LayoutRequest): Layout | null {
  const [layout, setLayout] = useState<Layout | null>(null)
  const worker = useRef<Worker | null>(null)
  const number = useRef(0)
  useEffect(() => {
    const made = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' })
    made.onmessage = ({ data }: MessageEvent<{ readonly layout: Layout; readonly number: number }>) => {
      if (data.number === number.current) setLayout(data.layout)
    }
    worker.current = made
    return () => {
      made.terminate()
      worker.current = null
    }
  }, [])
  // The same nodes and edges have the same places: only what they are called decides.
  const key = JSON.stringify(request)
  useEffect(() => {
    number.current += 1
    worker.current?.postMessage({ request: JSON.parse(key), number: number.current })
  }, [key])
  return layout
}
