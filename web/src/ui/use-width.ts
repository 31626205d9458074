import { type RefObject, useEffect, useRef, useState } from 'react'

/** How wide an element is, as long as it is there; 0 before that is known. */
export function useWidth<Shown extends HTMLElement>(): readonly [RefObject<Shown | null>, number] {
  const element = useRef<Shown>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const shown = element.current
    if (shown === null) return
    const observer = new ResizeObserver(() => setWidth(shown.clientWidth))
    observer.observe(shown)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
