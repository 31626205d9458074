import type { Json, RemoteEntry } from 'stint/client'

/** What an entry says, in one line: names and values, without those that say nothing. */
export function Attributes({ of }: { readonly of: RemoteEntry['attributes'] }) {
  const said = Object.entries(of).filter(([, value]) => !isNothing(value))
  return (
    <span title={JSON.stringify(of)}>
      {said.map(([name, value]) => (
        <span key={name} className="text-ink-2 mr-4">
          <span className="text-ink-3">{name}</span> {textOf(value)}
        </span>
      ))}
    </span>
  )
}

function isNothing(value: Json): boolean {
  return value === null || value === false || (typeof value === 'object' && Object.keys(value).length === 0)
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Who did it. Of a long id the end is enough to tell two apart. */
export function Actor({ entry: { actor, source } }: { readonly entry: Pick<RemoteEntry, 'actor' | 'source'> }) {
  const who = actor ?? source
  if (who === null) return <span className="text-ink-3">–</span>
  return (
    <span className="text-ink-2" title={who}>
      {who.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{12})/g, '…$1')}
    </span>
  )
}
