/** A part of a plan of PostgreSQL, as `explain` tells it. */
interface Node {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Node[]
}

/** The most rows that any part of a plan has looked at. */
export function mostRead(node: Node): number {
  const { 'Actual Rows': rows, 'Actual Loops': loops, 'Rows Removed by Filter': removed = 0, Plans = [] } = node
  return Math.max((rows + removed) * loops, ...Plans.map(mostRead))
}
