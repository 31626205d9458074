import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Field, TextInput } from '../ui/field.tsx'
import { Brand } from './brand.tsx'

export function SignIn(props: {
  readonly refused: string | null
  readonly signIn: (key: string, stays: boolean) => void
}) {
  const [key, setKey] = useState('')
  const [stays, setStays] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (key.trim() !== '') props.signIn(key.trim(), stays)
  }
  return (
    <main className="mx-auto max-w-[26rem] px-6 pt-[18vh]">
      <Brand />
      <h1 className="mt-6">Sign in with a key</h1>
      <p className="text-ink-2 mt-1">What you see and may do is what the key may.</p>
      <form onSubmit={submit} className="mt-4 space-y-3">
        <Field label="Key" error={props.refused}>
          {(attributes) => (
            <TextInput
              {...attributes}
              type="password"
              autoFocus
              value={key}
              placeholder="stint_…"
              className="font-mono"
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <label className="flex items-center gap-2">
          <input type="checkbox" className="accent-accent size-3.5" checked={stays} onChange={() => setStays(!stays)} />
          Keep it on this device
        </label>
        <Button type="submit" kind="primary" disabled={key.trim() === ''}>
          Sign in
        </Button>
      </form>
      <p className="text-ink-3 mt-8 mb-2">No key yet? Somebody with an admin key makes one:</p>
      <Copyable text="stint keys create me --role read" />
    </main>
  )
}
