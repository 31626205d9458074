import type { JobView } from 'stint/client'

export default function LineageTab({ job }: { readonly job: JobView }) {
  return <p className="px-6">{job.name}</p>
}
