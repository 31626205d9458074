const whole = new Intl.NumberFormat('en-US')

export function numberText(value: number): string {
  return whole.format(value)
}

/** A count up to a thousand, which says when there is more. */
export function cappedText({ count, more }: { readonly count: number; readonly more: boolean }): string {
  return more ? `${numberText(count)}+` : numberText(count)
}

/** Short, for where there is little room: `9.8k`, `1.2M`. */
export function shortText(value: number): string {
  if (value < 10_000) return numberText(value)
  const [size, unit] = value < 1_000_000 ? ([1_000, 'k'] as const) : ([1_000_000, 'M'] as const)
  const scaled = value / size
  return `${scaled < 100 ? Math.floor(scaled * 10) / 10 : Math.floor(scaled)}${unit}`
}

/** Zero is said quietly: it is the rest that matters. */
export function Count({ value }: { readonly value: number }) {
  return <span className={value === 0 ? 'text-ink-3' : undefined}>{numberText(value)}</span>
}
