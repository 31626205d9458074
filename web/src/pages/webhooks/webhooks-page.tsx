import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { WebhookView } from 'stint/client'
import { apiUrl } from '../../data/base.ts'
import { useRecordRows } from '../../data/record-rows.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { PageHead } from '../../ui/section.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { NewWebhookDialog } from './new-webhook-dialog.tsx'
import { WebhookStatus } from './webhook-status.tsx'

const columns: readonly Column<WebhookView>[] = [
  { title: 'Status', width: '6.75rem', cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  {
    title: 'Address',
    cell: ({ id, url }) => (
      <Link to={`/webhooks/${id}`} title={url} className="font-mono text-[12px] hover:underline">
        {url}
      </Link>
    ),
  },
  { title: 'What', width: '16%', from: 'lg', cell: ({ label }) => label },
  {
    title: 'Told of',
    width: '24%',
    cell: ({ types }) => <code title={types.join(', ')}>{types.join(', ')}</code>,
  },
  {
    title: 'Below',
    width: '11rem',
    from: 'md',
    cell: ({ path }) => (path === null ? <span className="text-ink-3">everything</span> : <code>{path}</code>),
  },
  {
    title: 'Failed in a row',
    width: '8rem',
    align: 'right',
    from: 'lg',
    cell: ({ failures }) => <span className={failures === 0 ? 'text-ink-3' : 'text-warn'}>{failures}</span>,
  },
  { title: 'Made', width: '6rem', align: 'right', cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

const snippet = `curl -s ${apiUrl}/v1/webhooks -H 'content-type: application/json' \\
  -d '{"url":"https://example.com/stint","types":["job.run.failed"],"path":"/reports"}'`

export default function WebhooksPage() {
  const { client, may } = useSession()
  const navigate = useNavigate()
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string } | null>(null)
  const list = useRecordRows(['webhooks', 'list'], (page) => client.webhooks.list(page), {
    on: ({ eventType }) => eventType.startsWith('webhook.'),
    refetchMs: 10_000,
  })
  const open = (id: string) => void navigate({ to: `/webhooks/${id}` })
  return (
    <>
      <PageHead title="Webhooks" about="others are told of what happens">
        {may('admin') && <Button onClick={() => setIsMaking(true)}>Add a webhook …</Button>}
      </PageHead>
      <RecordTable
        label="Webhooks"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        onOpen={({ id }) => open(id)}
        empty={
          <Empty title="Nobody is told." snippet={snippet}>
            A webhook is an address that gets a signed message for every event that it wants, of a branch or of
            everything. What cannot be delivered is tried again, and can be sent once more by hand.
          </Empty>
        }
      />
      {isMaking && (
        <NewWebhookDialog
          onClose={() => setIsMaking(false)}
          onMade={(webhook) => {
            setIsMaking(false)
            setMade(webhook)
          }}
        />
      )}
      {made !== null && (
        <SecretDialog
          title="The secret of the webhook"
          about="Messages are signed with it, as Standard Webhooks says. Its receiver needs it to trust them."
          secret={made.secret}
          onClose={() => {
            setMade(null)
            open(made.id)
          }}
        />
      )}
    </>
  )
}
