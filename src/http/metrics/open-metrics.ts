import { type Duration, durationBounds } from '../../engine/histogram.ts'

/** What is measured, before it is written down. */
export type Family = Described<'counter' | 'gauge', readonly Labelled[]> | Described<'histogram', readonly Duration[]>

interface Described<Type, Samples> {
  readonly name: string
  readonly help: string
  readonly type: Type
  readonly samples: Samples
}

export interface Labelled {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** The text that scrapers of OpenMetrics read. */
export function openMetricsText(families: readonly Family[]): string {
  return `${families.map(familyText).join('')}# EOF\n`
}

function familyText(family: Family): string {
  const { name, help, type } = family
  const lines =
    family.type === 'histogram'
      ? family.samples.flatMap((duration) => durationLines(name, duration))
      : family.samples.map(({ labels, value }) => line(`${name}${type === 'counter' ? '_total' : ''}`, labels, value))
  return `# TYPE ${name} ${type}\n# HELP ${name} ${escaped(help)}\n${lines.join('')}`
}

function durationLines(name: string, { labels, counts, sumSeconds }: Duration): readonly string[] {
  const buckets = counts.map((count, i) => {
    const le = i < durationBounds.length ? String(durationBounds[i]) : '+Inf'
    return line(`${name}_bucket`, { ...labels, le }, count)
  })
  return [...buckets, line(`${name}_sum`, labels, sumSeconds), line(`${name}_count`, labels, counts.at(-1) ?? 0)]
}

function line(name: string, labels: Labelled['labels'], value: number): string {
  return `${name}${labelsText(labels)} ${value}\n`
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels)
  if (entries.length === 0) return ''
  return `{${entries.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
