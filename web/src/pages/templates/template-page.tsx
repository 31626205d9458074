import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Json, TemplateView } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { CopyAsMenu } from '../../actions/copy-as-menu.tsx'
import { activateTemplate, archiveTemplate } from '../../actions/templates.ts'
import { useSession } from '../../data/session.tsx'
import { History } from '../../ui/history.tsx'
import { JsonText } from '../../ui/json.tsx'
import { RecordPage, useRecord } from '../../ui/record-page.tsx'
import { Facts, PageBody, PageHead, PathTitle, Section } from '../../ui/section.tsx'
import { Ago, Duration } from '../../ui/time.tsx'
import { RunForm } from './run-form.tsx'
import { TemplateStatus } from './template-status.tsx'

export default function TemplatePage() {
  const { template: id = '' } = useParams({ strict: false }) as { template?: string }
  const { client } = useSession()
  const template = useRecord(['templates', id], () => client.templates.get(id), {
    on: ({ eventType }) => eventType.startsWith('template.'),
  })
  return (
    <RecordPage title="Template" query={template}>
      {(found) => <Details template={found} />}
    </RecordPage>
  )
}

function Details({ template }: { readonly template: TemplateView }) {
  const { may } = useSession()
  const { status, params, schema, description } = template
  const isThere = status !== 'ARCHIVED'
  return (
    <>
      <PageHead title={<PathTitle path={template.path} />} about={<TemplateStatus status={status} />}>
        {status === 'CREATED' && <ActionButton action={activateTemplate(template)} />}
        {isThere && (
          <>
            <ActionButton
              kind="danger"
              action={archiveTemplate(template)}
              confirm={<p>No more jobs are made of it, and its schedules stop. It cannot be brought back.</p>}
            />
            <CopyAsMenu actions={[activateTemplate(template), archiveTemplate(template)]} />
          </>
        )}
      </PageHead>
      <PageBody>
        {(template.label ?? description) !== null && (
          <p className="border-line-strong border-t py-3 text-[15px]">
            {template.label}
            {description !== null && <span className="text-ink-2 block text-[13px]">{description}</span>}
          </p>
        )}
        <div className="grid grid-cols-2 gap-x-10 gap-y-7 max-lg:grid-cols-1">
          {isThere && may('submit') && <RunForm key={template.version} template={template} />}
          <div className="min-w-0 space-y-7">
            <Section title="What its jobs get" aside={`version ${template.version}`}>
              <Facts rows={factsOf(template)} />
              {params !== undefined && Object.keys(params).length > 0 && (
                <div className="pt-3">
                  <JsonText value={params as Json} label="Copy the default params" />
                </div>
              )}
            </Section>
            {schema !== null && (
              <Section title="Schema of the params">
                <div className="pt-3">
                  <JsonText value={schema as Json} label="Copy the schema" />
                </div>
              </Section>
            )}
            <History record={template.id} />
          </div>
        </div>
      </PageBody>
    </>
  )
}

function factsOf(template: TemplateView): readonly (readonly [string, ReactNode])[] {
  const { type, priority, timeoutMs, retry, limits, labels, createdAt, updatedAt } = template
  return [
    ['Type', type],
    ...(priority === undefined ? [] : ([['Priority', priority]] as const)),
    ...(timeoutMs == null ? [] : ([['An attempt may take', <Duration key="timeout" ms={timeoutMs} />]] as const)),
    ...(retry?.maxAttempts === undefined ? [] : ([['Attempts', `at most ${retry.maxAttempts}`]] as const)),
    ...(limits === undefined ? [] : ([['Limits', limits.map(({ key }) => key).join(', ')]] as const)),
    ...(labels === undefined
      ? []
      : ([
          [
            'Labels',
            Object.entries(labels)
              .map(([name, value]) => `${name}=${value}`)
              .join(', '),
          ],
        ] as const)),
    ['Made', <Ago key="made" at={createdAt} />],
    ['Changed', <Ago key="changed" at={updatedAt} />],
  ]
}
