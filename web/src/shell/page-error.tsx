import type { ErrorComponentProps } from '@tanstack/react-router'
import { PageBody, PageHead } from '../ui/section.tsx'
import { Failure } from '../ui/states.tsx'

/** A page that could not be drawn, or not be loaded because the server has a newer one. */
export function PageError({ error }: ErrorComponentProps) {
  return (
    <>
      <PageHead title="This page could not be shown" />
      <PageBody>
        <Failure error={error instanceof Error ? error : new Error(String(error))} retry={() => location.reload()} />
      </PageBody>
    </>
  )
}
