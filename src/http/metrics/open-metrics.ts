/** What is measured, before it is written down. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
}

export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** The text that scrapers of OpenMetrics read. */
export function openMetricsText(families: readonly Family[]): string {
  return `${families.map(familyText).join('')}# EOF\n`
}

function familyText({ name, help, type, samples }: Family): string {
  const suffix = type === 'counter' ? '_total' : ''
  const lines = samples.map(({ labels, value }) => `${name}${suffix}${labelsText(labels)} ${value}\n`)
  return `# TYPE ${name} ${type}\n# HELP ${name} ${escaped(help)}\n${lines.join('')}`
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels)
  if (entries.length === 0) return ''
  return `{${entries.map(([name, value]) => `${name}="${escaped(value)}"`).join(',')}}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
