import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { CopyAs } from '../actions/copy-as.tsx'
import { type NewJob, submitJob } from '../actions/jobs.ts'
import { useAction } from '../actions/use-action.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'
import { Field, TextArea, TextInput } from '../ui/field.tsx'

const empty = { type: '', name: '', key: '', priority: '', params: '{}' }

/** A job by hand. */
export function SubmitDialog({ onClose }: { readonly onClose: () => void }) {
  const [form, setForm] = useState(empty)
  const navigate = useNavigate()
  const { mutate, isPending, error } = useAction<{ readonly id: string }>((job) => {
    onClose()
    void navigate({ to: `/jobs/${encodeURIComponent(job.id)}` })
  })
  const params = parsed(form.params)
  const action = submitJob(jobOf(form, params.value))
  const set = (name: keyof typeof empty) => (event: { target: { value: string } }) => {
    setForm({ ...form, [name]: event.target.value })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(action)
  }
  return (
    <Dialog title="Submit a job" onClose={onClose}>
      <form onSubmit={submit}>
        <DialogBody>
          <Field label="Type" hint="What a worker knows how to run.">
            {(attributes) => <TextInput {...attributes} data-first required value={form.type} onChange={set('type')} />}
          </Field>
          <Field label="Name" hint="Where it stands in the tree, /reports/daily. Made up if empty.">
            {(attributes) => (
              <TextInput {...attributes} className="font-mono" value={form.name} onChange={set('name')} />
            )}
          </Field>
          <div className="grid grid-cols-2 gap-3">
            <Field label="Key" hint="At most one live job of its type has it.">
              {(attributes) => <TextInput {...attributes} value={form.key} onChange={set('key')} />}
            </Field>
            <Field label="Priority" hint="Higher sooner; 0 is the default.">
              {(attributes) => (
                <TextInput {...attributes} type="number" value={form.priority} onChange={set('priority')} />
              )}
            </Field>
          </div>
          <Field label="Params" error={params.error}>
            {(attributes) => <TextArea {...attributes} rows={5} value={form.params} onChange={set('params')} />}
          </Field>
          <CopyAs action={action} />
        </DialogBody>
        <DialogFoot>
          {error !== null && <p className="text-fail mr-auto truncate">{error.message}</p>}
          <Button onClick={onClose}>Leave it</Button>
          <Button kind="primary" type="submit" disabled={isPending || form.type === '' || params.error !== null}>
            Submit
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}

function jobOf({ type, name, key, priority }: typeof empty, params: unknown): NewJob {
  return {
    type,
    ...(name === '' ? {} : { name }),
    ...(key === '' ? {} : { key }),
    ...(priority === '' ? {} : { priority: Number(priority) }),
    params,
  }
}

function parsed(text: string): { readonly value: unknown; readonly error: string | null } {
  try {
    return { value: text.trim() === '' ? {} : JSON.parse(text), error: null }
  } catch (error) {
    return { value: {}, error: `This is no JSON: ${(error as Error).message}` }
  }
}
