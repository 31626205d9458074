import { useState } from 'react'
import type { KeyView } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { CopyAsMenu } from '../../actions/copy-as-menu.tsx'
import { createKey, revokeKey } from '../../actions/keys.ts'
import { useRecordRows } from '../../data/record-rows.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { AllSwitch, useRecordsQuery } from '../../ui/path-filter.tsx'
import { Rows } from '../../ui/rows.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { PageBody, PageHead, Section } from '../../ui/section.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Mark } from '../../ui/status.tsx'
import { Ago, useNow } from '../../ui/time.tsx'
import { Health } from './health.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'

export default function KeysPage() {
  const { may } = useSession()
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<string | null>(null)
  return (
    <>
      <PageHead title="Keys and health">
        {may('admin') && <Button onClick={() => setIsMaking(true)}>New key …</Button>}
        <CopyAsMenu actions={[createKey({ label: 'billing', role: 'submit', path: '/billing' })]} />
      </PageHead>
      <PageBody>
        <div className="space-y-7">
          <Keys />
          <Health />
        </div>
      </PageBody>
      {isMaking && (
        <NewKeyDialog
          onClose={() => setIsMaking(false)}
          onMade={({ key }) => {
            setIsMaking(false)
            setMade(key)
          }}
        />
      )}
      {made !== null && (
        <SecretDialog
          title="The new key"
          about="Whoever has it may do what it allows. It goes into the header: authorization: Bearer …"
          secret={made}
          onClose={() => setMade(null)}
        />
      )}
    </>
  )
}

function Keys() {
  const { client, may } = useSession()
  const { all } = useRecordsQuery()
  const list = useRecordRows(
    ['keys', 'list', all === true],
    (page) => client.keys.list({ ...page, ...(all ? { all } : {}) }),
    { on: ({ eventType }) => eventType.startsWith('key.') },
  )
  return (
    <Section title="Keys" aside={<AllSwitch label="Revoked, too" />}>
      {list.error !== null && list.rows.length === 0 ? (
        <Failure error={list.error} retry={list.refresh} />
      ) : list.isLoading ? (
        <Loading rows={4} />
      ) : list.rows.length === 0 ? (
        <Empty title="There are no keys." snippet="stint keys create billing --role submit --path /billing">
          Without keys this server is for its own machine only. A key has a role and, if you want, a path: it sees and
          changes what is at the path or below, and nothing else.
        </Empty>
      ) : (
        <>
          <Rows
            label="Keys"
            head={['State', 'Label', 'Role', 'Reaches', ['Made', 'right'], ['Ends', 'right'], ['', 'right']]}
            widths={['7rem', 'auto', '5rem', '18%', '6rem', '6rem', may('admin') ? '6.5rem' : '0']}
            rows={list.rows.map((key) => [
              key.id,
              <KeyState key="state" of={key} />,
              <span key="label" title={key.id}>
                {key.label}
              </span>,
              <span key="role" className={key.role === 'admin' ? 'text-warn' : 'text-ink-2'}>
                {key.role}
              </span>,
              key.path === null ? (
                <span key="path" className="text-ink-3">
                  everything
                </span>
              ) : (
                <code key="path">{key.path}</code>
              ),
              <Ago key="made" at={key.createdAt} />,
              <Ago key="ends" at={key.revokedAt ?? key.expiresAt} />,
              key.revokedAt === null && (
                <ActionButton
                  key="revoke"
                  kind="quiet"
                  action={revokeKey(key)}
                  confirm={
                    <p>
                      Within two seconds <strong>{key.label}</strong> opens nothing any more. It cannot be brought back.
                    </p>
                  }
                />
              ),
            ])}
          />
          {list.isMore && (
            <Button kind="quiet" className="mt-2" onClick={list.more}>
              More
            </Button>
          )}
        </>
      )}
    </Section>
  )
}

function KeyState({ of: { revokedAt, expiresAt } }: { readonly of: KeyView }) {
  const now = useNow()
  if (revokedAt !== null) return <span className="text-ink-3">Revoked</span>
  return expiresAt !== null && expiresAt.getTime() < now ? (
    <Mark tone="warn">Expired</Mark>
  ) : (
    <Mark tone="ok">In force</Mark>
  )
}
