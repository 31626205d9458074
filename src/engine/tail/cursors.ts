/** Which of two cursors of one store is later: less than zero when the first is earlier. */
export function compareCursors(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = Number(left[i] ?? 0) - Number(right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
