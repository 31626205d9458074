import { PageHead } from '../../ui/section.tsx'

export default function OverviewPage() {
  return <PageHead title="Overview" />
}
