import type { JobView } from 'stint/client'

export default function LogsTab({ job }: { readonly job: JobView }) {
  return <p className="px-6">{job.name}</p>
}
