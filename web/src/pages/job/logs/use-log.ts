import { useEffect, useState } from 'react'
import type { JobView } from 'stint/client'
import { useSession } from '../../../data/session.tsx'

export interface Line {
  readonly seq: number
  readonly at: Date
  readonly line: string
}

const pageSize = 2_000
/** More than that nobody reads here: the oldest go. */
const lineMax = 50_000
const lookMs = 1_000

/** The log of an attempt, and what is added to it while the attempt runs. */
export function useLog(job: JobView, attempt: number, isRunning: boolean) {
  const { client } = useSession()
  const [lines, setLines] = useState<readonly Line[]>([])
  const [error, setError] = useState<Error | null>(null)
  const [isRead, setIsRead] = useState(false)
  const { id } = job
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let last = 0
    setLines([])
    setIsRead(false)
    const read = async () => {
      try {
        for (;;) {
          const { items } = await client.runs.log({ job: id, attempt, afterSeq: last, limit: pageSize })
          if (isOver) return
          last = items.at(-1)?.seq ?? last
          if (items.length > 0) setLines((before) => [...before, ...items].slice(-lineMax))
          if (items.length < pageSize) break
        }
        setError(null)
      } catch (thrown) {
        if (!isOver) setError(thrown as Error)
      }
      if (isOver) return
      setIsRead(true)
      if (isRunning) timer = setTimeout(() => void read(), lookMs)
    }
    if (attempt > 0) void read()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, id, attempt, isRunning])
  return { lines, error, isRead }
}
