import { type ComponentProps, type ReactNode, useId } from 'react'
import { cx } from './class-names.ts'

const box =
  'w-full rounded-[3px] border border-line-strong bg-raise px-2 py-1 text-ink hover:border-ink-3 disabled:opacity-60'

/** A name, something to fill in, and what is wrong with it. */
export function Field(props: {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | null
  readonly children: (attributes: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }) => ReactNode
}) {
  const id = useId()
  const { error = null, hint } = props
  const about = error ?? hint
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-semibold">
        {props.label}
      </label>
      {props.children({
        id,
        ...(about ? { 'aria-describedby': `${id}-about` } : {}),
        ...(error === null ? {} : { 'aria-invalid': true }),
      })}
      {about && (
        <p id={`${id}-about`} className={cx('mt-1 text-[12px]', error === null ? 'text-ink-3' : 'text-fail')}>
          {about}
        </p>
      )}
    </div>
  )
}

export function TextInput({ className, ...rest }: ComponentProps<'input'>) {
  return <input autoComplete="off" spellCheck={false} className={cx(box, 'h-7', className)} {...rest} />
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea spellCheck={false} className={cx(box, 'font-mono text-[12px]', className)} {...rest} />
}

export function Choice(props: ComponentProps<'select'> & { readonly options: readonly (readonly [string, string])[] }) {
  const { options, className, ...rest } = props
  return (
    <select className={cx(box, 'h-7 py-0', className)} {...rest}>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
