/** What the browser remembers. One that refuses to remember works, too. */
export function recall(name: string, where: Storage = localStorage): string | null {
  try {
    return where.getItem(`stint.${name}`)
  } catch {
    return null
  }
}

export function remember(name: string, value: string | null, where: Storage = localStorage): void {
  try {
    if (value === null) where.removeItem(`stint.${name}`)
    else where.setItem(`stint.${name}`, value)
  } catch {
    // It is asked again next time.
  }
}
