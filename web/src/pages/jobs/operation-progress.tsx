import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { numberText } from '../../ui/number.tsx'

const lookMs = 500

/** How far something is that is done to many jobs in the background. It goes on when nobody looks. */
export function OperationProgress({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: ['operations', id],
    queryFn: () => client.operations.get(id),
    refetchInterval: ({ state }) => (state.data?.finishedAt ? false : lookMs),
  })
  const isOver = data?.finishedAt !== null && data !== undefined
  return (
    <div className="border-line-strong bg-raise flex h-11 items-center gap-3 border-t px-6" role="status">
      <span className="font-semibold">
        {data === undefined ? 'Beginning …' : `${numberText(data.counts.done)} done`}
        {data !== undefined && data.counts.refused > 0 && `, ${numberText(data.counts.refused)} not possible`}
      </span>
      <span className="text-ink-3">{isOver ? data.status.toLowerCase() : 'in the background'}</span>
      <span className="flex-1" />
      {!isOver && (
        <Button kind="quiet" onClick={() => void client.operations.cancel(id)}>
          Stop
        </Button>
      )}
      <Button kind="quiet" onClick={onClose}>
        Close
      </Button>
    </div>
  )
}
