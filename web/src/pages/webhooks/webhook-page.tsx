import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { DeliveryView, WebhookView } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { CopyAsMenu } from '../../actions/copy-as-menu.tsx'
import { deleteWebhook, pingWebhook, redeliver, rotateWebhook, setWebhookStatus } from '../../actions/webhooks.ts'
import { useLiveQuery } from '../../data/live-query.ts'
import { useRecordRows } from '../../data/record-rows.ts'
import { useSession } from '../../data/session.tsx'
import { useUrlState } from '../../data/url-state.ts'
import { RecordPage } from '../../ui/record-page.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { PageHead } from '../../ui/section.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Ago, Time } from '../../ui/time.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { DeliveryStatus, WebhookStatus } from './webhook-status.tsx'

/** Deliveries are work of the server's own, which the log does not tell of. */
const askMs = 2_000

export default function WebhookPage() {
  const { webhook: id = '' } = useParams({ strict: false }) as { webhook?: string }
  const { client } = useSession()
  const webhook = useLiveQuery(
    { queryKey: ['webhooks', id], queryFn: () => client.webhooks.get(id), refetchInterval: askMs * 2 },
    { on: ({ eventType }) => eventType.startsWith('webhook.') },
  )
  return (
    <RecordPage title="Webhook" query={webhook}>
      {(found) => <Details webhook={found} />}
    </RecordPage>
  )
}

function Details({ webhook }: { readonly webhook: WebhookView }) {
  const { client, may } = useSession()
  const navigate = useNavigate()
  const [{ delivery }, setUrl] = useUrlState()
  const [secret, setSecret] = useState<string | null>(null)
  const { id, status } = webhook
  const list = useRecordRows(['webhooks', id, 'deliveries'], (page) => client.webhooks.deliveries(id, page), {
    on: () => false,
    refetchMs: askMs,
  })
  const turned = setWebhookStatus(webhook, status === 'ACTIVE' ? 'DISABLED' : 'ACTIVE')
  return (
    <>
      <PageHead
        title={<span className="font-mono text-[15px] font-normal">{webhook.url}</span>}
        about={<WebhookStatus webhook={webhook} />}
      >
        <ActionButton action={pingWebhook(webhook)} onDone={list.refresh} />
        <ActionButton action={turned} />
        <ActionButton
          action={rotateWebhook(webhook)}
          confirm={<p>A new secret is made and shown once. For a day messages are signed with both.</p>}
          onDone={(made) => setSecret(made.secret)}
        />
        <ActionButton
          kind="danger"
          action={deleteWebhook(webhook)}
          confirm={<p>What is still on its way to it is not sent.</p>}
          onDone={() => void navigate({ to: '/webhooks' })}
        />
        <CopyAsMenu actions={[pingWebhook(webhook), turned, rotateWebhook(webhook)]} />
      </PageHead>
      <div className="border-line-strong text-ink-2 mx-6 border-t py-3">
        {webhook.label !== null && <p className="text-ink text-[15px]">{webhook.label}</p>}
        <p>
          Is told of <code>{webhook.types.join(', ')}</code> of{' '}
          {webhook.path === null ? 'everything' : <code>{webhook.path}</code>}
          {webhook.failures > 0 && (
            <span className="text-warn">
              {' '}
              · {webhook.failures === 1 ? 'the last message' : `the last ${webhook.failures} messages`} could not be
              delivered
            </span>
          )}
          {webhook.rotatingUntil !== null && (
            <>
              {' '}
              · both secrets sign, until <Time at={webhook.rotatingUntil} />
            </>
          )}
        </p>
        {webhook.reason !== null && <p className="text-fail">It is disabled: {webhook.reason}</p>}
      </div>
      <RecordTable
        label="Deliveries"
        columns={may('admin') ? [...columns, redeliverColumn(id)] : columns}
        list={list}
        keyOf={(each) => each.id}
        onOpen={(each) => setUrl({ delivery: each.id })}
        empty={
          <Empty title="No message has been sent yet.">
            Messages stand here as soon as something happens that it wants to know. A ping tries whether it arrives.
          </Empty>
        }
      />
      {delivery !== undefined && (
        <DeliveryDialog webhook={id} delivery={delivery} onClose={() => setUrl({ delivery: undefined })} />
      )}
      {secret !== null && (
        <SecretDialog
          title="The new secret"
          about="For a day messages are signed with both, so that the receiver can learn it."
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  )
}

const columns: readonly Column<DeliveryView>[] = [
  { title: 'Status', width: '7.5rem', cell: ({ status }) => <DeliveryStatus status={status} /> },
  { title: 'Event', width: '22%', cell: ({ type }) => <code>{type}</code> },
  {
    title: 'Answer',
    width: '5rem',
    align: 'right',
    cell: ({ responseStatus }) => responseStatus ?? <span className="text-ink-3">–</span>,
  },
  { title: 'Tries', width: '4rem', align: 'right', cell: ({ attempts }) => attempts },
  {
    title: 'Why',
    from: 'md',
    cell: ({ error, redeliveryOf }) =>
      error === null ? (
        redeliveryOf !== null && <span className="text-ink-3">sent once more</span>
      ) : (
        <span className="text-ink-2" title={error}>
          {error}
        </span>
      ),
  },
  {
    title: 'Next try',
    width: '6rem',
    align: 'right',
    from: 'lg',
    cell: ({ nextAttemptAt }) => <Ago at={nextAttemptAt} />,
  },
  { title: 'Made', width: '6.5rem', align: 'right', cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

function redeliverColumn(webhook: string): Column<DeliveryView> {
  return {
    title: 'Again',
    width: '7rem',
    align: 'right',
    cell: (delivery) =>
      delivery.status !== 'PENDING' && <ActionButton kind="quiet" action={redeliver(webhook, delivery)} />,
  }
}
