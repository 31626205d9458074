import { useState } from 'react'
import type { Graph, JobView } from 'stint/client'
import { FillSlotDialog } from '../../../actions/fill-slot-dialog.tsx'
import { useLiveQuery } from '../../../data/live-query.ts'
import { useSession } from '../../../data/session.tsx'
import { Answer, Empty } from '../../../ui/states.tsx'
import { GraphDrawing } from './graph-drawing.tsx'

type Slot = Graph['slots'][number]

const snippet = `const report = definePipeline('report', (p, { day }) => {
  const rows = p.run(fetchRows, { day })
  const approval = p.promise('approval')
  return p.run(publish, { rows: rows.output }, { after: [approval] }).output
})`

/** Jobs and slots below it, and the values that go from one to the other. */
export default function GraphTab({ job }: { readonly job: JobView }) {
  const { client, may } = useSession()
  const [filling, setFilling] = useState<Slot | null>(null)
  const graph = useLiveQuery({ queryKey: ['job', job.id, 'graph'], queryFn: () => client.jobs.graph(job) })
  return (
    <div className="min-h-0 flex-1 overflow-auto px-6 pt-4 pb-8">
      <Answer query={graph}>
        {(data) =>
          data.edges.length === 0 && data.slots.length === 0 ? (
            <Empty title="No values go to or from this job." snippet={snippet}>
              Jobs whose params hold results of others, and slots that somebody fills, are drawn here. A pipeline makes
              both:
            </Empty>
          ) : (
            <GraphDrawing graph={data} own={job.id} {...(may('submit') ? { onFill: setFilling } : {})} />
          )
        }
      </Answer>
      {filling !== null && <FillSlotDialog slot={filling} onClose={() => setFilling(null)} />}
    </div>
  )
}
