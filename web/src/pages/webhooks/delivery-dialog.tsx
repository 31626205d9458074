import type { DeliveryDetails } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { redeliver } from '../../actions/webhooks.ts'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../ui/dialog.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Facts } from '../../ui/section.tsx'
import { Answer } from '../../ui/states.tsx'
import { Elapsed, Time } from '../../ui/time.tsx'
import { DeliveryStatus } from './webhook-status.tsx'

/** One message: what was sent, and how each attempt was answered. */
export function DeliveryDialog(props: {
  readonly webhook: string
  readonly delivery: string
  readonly onClose: () => void
}) {
  const { webhook, delivery: id, onClose } = props
  const { client } = useSession()
  const delivery = useLiveQuery(
    {
      queryKey: ['webhooks', webhook, 'deliveries', id],
      queryFn: () => client.webhooks.delivery(webhook, id),
      refetchInterval: 2_000,
    },
    { on: () => false },
  )
  return (
    <Dialog title={delivery.data?.type ?? 'Delivery'} onClose={onClose} wide>
      <DialogBody>
        <Answer query={delivery} rows={6}>
          {(found) => <Body delivery={found} />}
        </Answer>
      </DialogBody>
      <DialogFoot>
        {delivery.data !== undefined && delivery.data.status !== 'PENDING' && (
          <ActionButton action={redeliver(webhook, delivery.data)} onDone={onClose} />
        )}
        <Button onClick={onClose}>Close</Button>
      </DialogFoot>
    </Dialog>
  )
}

function Body({ delivery }: { readonly delivery: DeliveryDetails }) {
  return (
    <>
      <Facts
        rows={[
          ['Status', <DeliveryStatus key="status" status={delivery.status} />],
          ['webhook-id', <code key="id">{delivery.messageId}</code>],
          ['Made', <Time key="made" at={delivery.createdAt} precise />],
          ...(delivery.nextAttemptAt === null
            ? []
            : ([['Tried again', <Time key="next" at={delivery.nextAttemptAt} />]] as const)),
          ...(delivery.redeliveryOf === null
            ? []
            : ([['Repeats', <code key="of">{delivery.redeliveryOf}</code>]] as const)),
        ]}
      />
      <Rows
        label="Attempts"
        head={['Try', 'Answer', 'What it said', ['Took', 'right'], ['At', 'right']]}
        widths={['3rem', '5rem', 'auto', '5rem', '8.5rem']}
        rows={delivery.log.map(({ attempt, startedAt, finishedAt, responseStatus, detail }) => [
          String(attempt),
          attempt,
          responseStatus ?? <span className="text-fail">none</span>,
          <span key="detail" className="text-ink-2" title={detail ?? undefined}>
            {detail}
          </span>,
          <Elapsed key="took" from={startedAt} to={finishedAt} />,
          <Time key="at" at={startedAt} precise />,
        ])}
      />
      <div className="border-line bg-panel relative rounded-[3px] border">
        <pre
          className="max-h-72 overflow-auto py-2 pr-9 pl-3 leading-[1.55] break-words whitespace-pre-wrap"
          tabIndex={0}
        >
          {indented(delivery.body)}
        </pre>
        <CopyButton text={delivery.body} label="Copy what was sent" className="bg-panel absolute top-1.5 right-1.5" />
      </div>
    </>
  )
}

/** For people; what was signed is what is copied. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
