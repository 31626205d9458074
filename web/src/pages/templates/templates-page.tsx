import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { TemplateView } from 'stint/client'
import { useRecordRows } from '../../data/record-rows.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { JsonLine } from '../../ui/json.tsx'
import { AllSwitch, PathFilter, useRecordsQuery } from '../../ui/path-filter.tsx'
import { PathLink } from '../../ui/path-link.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { fieldsOf } from '../../ui/schema-form/schema.ts'
import { PageHead } from '../../ui/section.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { NewTemplateDialog } from './new-template-dialog.tsx'
import { TemplateStatus } from './template-status.tsx'

const columns: readonly Column<TemplateView>[] = [
  { title: 'Status', width: '8.5rem', cell: ({ status }) => <TemplateStatus status={status} /> },
  { title: 'Template', width: '24%', cell: ({ id, path }) => <PathLink to="/templates" id={id} path={path} /> },
  { title: 'Type', width: '9rem', cell: ({ type }) => <span className="text-ink-2">{type}</span> },
  { title: 'About', cell: ({ label, description }) => label ?? description ?? <span className="text-ink-3">–</span> },
  { title: 'Params', width: '18%', from: 'lg', cell: ({ params }) => <JsonLine value={params ?? null} /> },
  { title: 'Schema', width: '6rem', from: 'xl', cell: ({ schema }) => <SchemaText schema={schema} /> },
  { title: 'Changed', width: '6.5rem', align: 'right', cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
]

function SchemaText({ schema }: Pick<TemplateView, 'schema'>) {
  const count = schema === null ? 0 : (fieldsOf(schema)?.length ?? 0)
  if (schema === null) return <span className="text-ink-3">any</span>
  return <span className="text-ink-2">{count === 1 ? '1 field' : `${count} fields`}</span>
}

const snippet = `await stint.templates.create({
  path: '/reports/monthly', job: 'report', params: { format: 'pdf' },
  schema: { type: 'object', properties: { month: { type: 'string' } }, required: ['month'] },
})`

export default function TemplatesPage() {
  const { client, may } = useSession()
  const navigate = useNavigate()
  const [isMaking, setIsMaking] = useState(false)
  const query = useRecordsQuery()
  const list = useRecordRows(['templates', 'list', query], (page) => client.templates.list({ ...query, ...page }), {
    on: ({ eventType }) => eventType.startsWith('template.'),
  })
  const open = (id: string) => void navigate({ to: `/templates/${id}` })
  return (
    <>
      <PageHead title="Templates">
        <AllSwitch label="Archived, too" />
        <PathFilter placeholder="/reports" />
        {may('admin') && <Button onClick={() => setIsMaking(true)}>New template …</Button>}
      </PageHead>
      <RecordTable
        label="Templates"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        onOpen={({ id }) => open(id)}
        empty={
          <Empty title="No templates here." snippet={snippet}>
            A template is what jobs are made of, again and again: their type, default params, and a schema that this
            dashboard makes a form of.
          </Empty>
        }
      />
      {isMaking && <NewTemplateDialog onClose={() => setIsMaking(false)} onMade={({ id }) => open(id)} />}
    </>
  )
}
