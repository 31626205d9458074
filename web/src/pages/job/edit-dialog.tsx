import { useState } from 'react'
import type { JobView } from 'stint/client'
import { CopyAs } from '../../actions/copy-as.tsx'
import { editJob } from '../../actions/jobs.ts'
import { useAction } from '../../actions/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../ui/dialog.tsx'
import { Field, TextArea, TextInput } from '../../ui/field.tsx'

/** What may change until a job is dispatched. */
export function EditDialog({ job, onClose }: { readonly job: JobView; readonly onClose: () => void }) {
  const [priority, setPriority] = useState(String(job.priority))
  const [params, setParams] = useState(JSON.stringify(job.params, null, 2))
  const { mutate, isPending } = useAction(onClose)
  const value = parsed(params)
  const isChanged = JSON.stringify(value) !== JSON.stringify(job.params)
  const changes = {
    ...(Number(priority) === job.priority ? {} : { priority: Number(priority) }),
    ...(isChanged && value !== undefined ? { params: value } : {}),
  }
  const action = editJob(job, changes)
  return (
    <Dialog title={`Edit ${job.name}`} onClose={onClose}>
      <DialogBody>
        <Field label="Priority" hint="Higher sooner.">
          {(attributes) => (
            <TextInput
              {...attributes}
              type="number"
              value={priority}
              onChange={(event) => setPriority(event.target.value)}
            />
          )}
        </Field>
        <Field label="Params" error={value === undefined ? 'This is no JSON.' : null}>
          {(attributes) => (
            <TextArea {...attributes} rows={8} value={params} onChange={(event) => setParams(event.target.value)} />
          )}
        </Field>
        <CopyAs action={action} />
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>Leave it</Button>
        <Button
          kind="primary"
          disabled={isPending || value === undefined || Object.keys(changes).length === 0}
          onClick={() => mutate(action)}
        >
          Save
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
