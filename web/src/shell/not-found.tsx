import { PageBody, PageHead } from '../ui/section.tsx'
import { Empty } from '../ui/states.tsx'

export function NotFound() {
  return (
    <>
      <PageHead title="Nothing here" />
      <PageBody>
        <Empty title="There is no page at this address.">The pages that there are stand in the menu.</Empty>
      </PageBody>
    </>
  )
}
