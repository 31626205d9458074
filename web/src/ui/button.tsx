import type { ComponentProps } from 'react'
import { cx } from './class-names.ts'

type Kind = 'plain' | 'primary' | 'danger' | 'quiet'

const kinds: Readonly<Record<Kind, string>> = {
  plain: 'border border-line-strong bg-raise hover:border-ink-3',
  primary: 'border border-accent bg-accent text-on-accent hover:brightness-110',
  danger: 'border border-fail text-fail bg-raise hover:bg-fail hover:text-paper',
  quiet: 'border border-transparent text-ink-2 hover:bg-panel hover:text-ink',
}

export interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: Kind
}

export function Button({ kind = 'plain', className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={cx(
        'inline-flex h-7 items-center gap-1.5 rounded-[3px] px-2.5 whitespace-nowrap disabled:opacity-50 aria-pressed:bg-ink/8 aria-pressed:text-ink',
        kinds[kind],
        className,
      )}
      {...rest}
    />
  )
}
