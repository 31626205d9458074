import { PageHead } from '../../ui/section.tsx'

export default function TreePage() {
  return <PageHead title="Tree" />
}
