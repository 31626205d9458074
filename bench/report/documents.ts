/** The documents that the benchmarks give, kept as JSON under docs/benchmarks; tables and plots are made of them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawGrowth, type GrowthDocument, showGrowth } from './growth.ts'
import { type HttpDocument, showHttp } from './http.ts'
import { drawPeers, type PeersDocument, showPeers } from './peers.ts'
import { type ResourcesDocument, showResources } from './resources.ts'
import { type ShardsDocument, showShards } from './shards.ts'
import { drawWorkers, showWorkers, type WorkersDocument } from './workers.ts'

export interface Documents {
  readonly peers: PeersDocument
  readonly growth: GrowthDocument
  readonly workers: WorkersDocument
  readonly resources: ResourcesDocument
  readonly shards: ShardsDocument
  readonly http: HttpDocument
}

export type Name = keyof Documents

const show: { readonly [N in Name]: (document: Documents[N]) => string } = {
  peers: showPeers,
  growth: showGrowth,
  workers: showWorkers,
  resources: showResources,
  shards: showShards,
  http: showHttp,
}

const draw: { readonly [N in Name]?: (document: Documents[N]) => string } = {
  peers: drawPeers,
  growth: drawGrowth,
  workers: drawWorkers,
}

export const names: readonly Name[] = ['peers', 'growth', 'workers', 'resources', 'shards', 'http']

export const docs = join(import.meta.dirname, '../../docs')
const page = 'benchmarks.md'

/** Prints what was measured: for people, or one JSON document; and writes it into the docs if that is wanted. */
export function publish<N extends Name>(
  name: N,
  document: Documents[N],
  options: { readonly json: boolean; readonly writeDocs: boolean },
): void {
  process.stdout.write(`${options.json ? JSON.stringify(document, null, 2) : show[name](document)}\n`)
  if (!options.writeDocs) return
  writeFileSync(join(docs, `benchmarks/${name}.json`), `${JSON.stringify(document, null, 2)}\n`)
  render(name)
}

/** Makes the part of the page and the plot anew from what is kept. */
export function render(name: Name): void {
  for (const [path, text] of rendered(name)) writeFileSync(join(docs, path), text)
}

/** What the files of the docs should hold, by what is kept. */
export function rendered(name: Name): ReadonlyMap<string, string> {
  const document = JSON.parse(readFileSync(join(docs, `benchmarks/${name}.json`), 'utf8'))
  const files = new Map([[page, withSection(readFileSync(join(docs, page), 'utf8'), name, show[name](document))]])
  const plot = draw[name]?.(document)
  return plot === undefined ? files : files.set(`benchmarks/${name}.svg`, plot)
}

/** The page with what stands between the marks of a section replaced. */
export function withSection(text: string, name: string, section: string): string {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`The page has no marks for ${name}.`)
  return `${text.slice(0, from + begin.length)}\n\n${section}\n\n${text.slice(to)}`
}
