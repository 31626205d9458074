import { PageHead } from '../../ui/section.tsx'

export default function JobPage() {
  return <PageHead title="Job" />
}
