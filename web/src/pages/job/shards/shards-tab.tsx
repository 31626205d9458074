import type { JobView } from 'stint/client'

export default function ShardsTab({ job }: { readonly job: JobView }) {
  return <p className="px-6">{job.name}</p>
}
