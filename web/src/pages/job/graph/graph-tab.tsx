import type { JobView } from 'stint/client'

export default function GraphTab({ job }: { readonly job: JobView }) {
  return <p className="px-6">{job.name}</p>
}
