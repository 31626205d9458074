/** The rules that keep the sources in shape, as functions from sources to sentences about what breaks a rule. */
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type ESTree, type ParseResult, parseSync } from 'vite'

export interface SourceFile {
  /** Relative to `src`, with forward slashes: `core/job/decide.ts`. */
  readonly path: string
  readonly text: string
}

/** A violation, as `path:line what is wrong`. */
export type Violation = string

type Node = ESTree.Node

export function readSources(root: string): SourceFile[] {
  const paths = globSync('**/*.{ts,tsx,mts}', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

// Purity of the core

/** Names through which code reaches the outside world. None may occur in the core, not even for a local variable. */
const impureNames = new Set([
  ...['performance', 'Temporal', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
  ...['crypto', 'process', 'fetch', 'globalThis', 'global', 'window', 'self', 'Buffer', 'console'],
  ...['require', 'eval', 'Function', 'WeakRef', 'FinalizationRegistry'],
])

/** Objects of which only these members are pure. Any other use is refused, so that no alias can hide the rest. */
const pureMembers = new Map<string, (member: string) => boolean>([
  ['Date', (member) => member === 'UTC' || member === 'parse'],
  ['Math', (member) => member !== 'random'],
])

/** The core imports only itself and reads no clock, no randomness and no global state. */
export function findImpurities(files: readonly SourceFile[]): Violation[] {
  return files
    .filter((file) => layerOf(file.path) === 'core')
    .flatMap((file) => [
      ...importsOf(file)
        .filter(({ target }) => target === null || layerOf(target) !== 'core')
        .map(({ specifier, start }) => at(file, start, `imports '${specifier}'; the core imports only the core`)),
      ...impureUses(file).map(({ what, start }) => at(file, start, `uses ${what}; the core is pure`)),
    ])
}

function impureUses(file: SourceFile): { what: string; start: number }[] {
  const found: { what: string; start: number }[] = []
  walk(parse(file).program, (node, parents) => {
    if (isInsideType(parents)) return
    const what = impureUse(node, parents)
    if (what) found.push({ what, start: node.start })
  })
  return found
}

function impureUse(node: Node, parents: readonly Node[]): string | null {
  if (node.type === 'MetaProperty' && node.meta.name === 'import') return 'import.meta'
  const parent = parents.at(-1)
  if (node.type !== 'Identifier' || !parent || isOnlyALabel(node, parent)) return null
  if (impureNames.has(node.name)) return node.name
  const isPure = pureMembers.get(node.name)
  return isPure ? impureUseOfObject(node, parent, isPure) : null
}

function impureUseOfObject(
  node: Node & { name: string },
  parent: Node,
  isPure: (member: string) => boolean,
): string | null {
  if (parent.type === 'MemberExpression' && parent.object === node) {
    const member = memberName(parent)
    if (member === null) return `${node.name} with a computed member`
    return isPure(member) ? null : `${node.name}.${member}`
  }
  if (node.name === 'Date' && parent.type === 'NewExpression') {
    return parent.arguments.length > 0 ? null : 'new Date() without arguments'
  }
  if (parent.type === 'BinaryExpression' && parent.operator === 'instanceof') return null
  return `${node.name} other than by a pure member`
}

/** The member in `object.member` and `object['member']`; null when only the running program knows it. */
function memberName({ property, computed }: ESTree.MemberExpression): string | null {
  if (property.type === 'Identifier' && !computed) return property.name
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : null
}

/** Whether an identifier stands for a member or a label, and not for a variable. */
function isOnlyALabel(node: Node, parent: Node): boolean {
  if (parent.type === 'MemberExpression') return parent.property === node && !parent.computed
  if (parent.type === 'ImportSpecifier') return parent.imported === node
  if (parent.type === 'ExportSpecifier') return parent.exported === node
  return 'key' in parent && parent.key === node && !('computed' in parent && parent.computed)
}

/** Types are erased, so they read nothing; `Date` as a type says only what a function is given. */
function isInsideType(parents: readonly Node[]): boolean {
  return parents.some(({ type }) => typeOnlyNodes.has(type))
}

const typeOnlyNodes = new Set([
  ...['TSTypeAnnotation', 'TSTypeAliasDeclaration', 'TSInterfaceDeclaration', 'TSTypeParameterInstantiation'],
  ...['TSTypeParameterDeclaration', 'TSTypeReference', 'TSTypeQuery', 'TSClassImplements'],
])

// Layers

/** Imports point only from a higher number to a lower one. */
const heights: Readonly<Record<string, number>> = { core: 0, store: 1, engine: 2, http: 3, client: 3, cli: 4, web: 4 }

/** What stands beside the layers: it may import all of them, and none of them may import it. */
const outsiders = new Set(['index.ts', 'testing'])

export function findLayerBreaks(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    const from = layerOf(file.path)
    if (!isKnownLayer(from)) return [`${file.path}:1 belongs to no layer that the architecture knows`]
    return importsOf(file).flatMap(({ specifier, target, start }) => {
      if (target === null) return []
      const to = layerOf(target)
      return to === from || mayImport(from, to)
        ? []
        : [at(file, start, `imports '${specifier}'; ${from} may not import ${to}`)]
    })
  })
}

function layerOf(path: string): string {
  return path.split('/')[0] ?? path
}

function isKnownLayer(layer: string): boolean {
  return outsiders.has(layer) || Object.hasOwn(heights, layer)
}

function mayImport(from: string, to: string): boolean {
  if (outsiders.has(to)) return false
  return outsiders.has(from) || (heights[from] ?? 0) > (heights[to] ?? Number.POSITIVE_INFINITY)
}

// The dashboard

/** What the dashboard imports of Stint beside its client, and what it does that the policy of its page does not allow. */
export function findDashboardBreaks(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    const imports = importsOf(file).filter(({ specifier, target }) => {
      return target?.startsWith('..') === true || specifier.startsWith('node:') || /^stint(?!\/client$)/.test(specifier)
    })
    const inline = [...file.text.matchAll(/dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|<style[\s>]/g)]
    return [
      ...imports.map(({ specifier, start }) =>
        at(file, start, `imports '${specifier}'; the dashboard uses only stint/client`),
      ),
      ...inline.map(({ 0: what, index }) => at(file, index, `has ${what.trim()}; nothing on its page is inline`)),
    ]
  })
}

// Cycles

/** Groups of files that import each other in a circle, each shown as `a.ts → b.ts → a.ts`. Types count as well. */
export function findCycles(files: readonly SourceFile[]): Violation[] {
  const imports = new Map(files.map((file) => [file.path, importsOf(file).map(({ target }) => target)]))
  const finished = new Set<string>()
  const cycles: Violation[] = []

  const visit = (path: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(path)
    if (seenAt >= 0) cycles.push([...trail.slice(seenAt), path].join(' → '))
    if (seenAt >= 0 || finished.has(path)) return
    for (const target of imports.get(path) ?? []) if (target !== null) visit(target, [...trail, path])
    finished.add(path)
  }
  for (const file of files) visit(file.path, [])
  return cycles
}

// Types

/** Places where the type checker was told to look away. */
export function findUncheckedCode(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    const { program, comments } = parse(file)
    const found = comments
      .filter(({ value }) => /@ts-(ignore|nocheck)/.test(value))
      .map(({ start }) => at(file, start, 'silences the type checker'))
    walk(program, (node) => {
      if (node.type === 'TSAnyKeyword') found.push(at(file, node.start, 'uses the type any'))
    })
    return found
  })
}

// Reading sources

interface Import {
  readonly specifier: string
  /** The imported file as a path below `src`; null for packages and for the modules of Node. */
  readonly target: string | null
  readonly start: number
}

/** Every import of a file: static, re-exported, dynamic, and within a type. */
function importsOf(file: SourceFile): Import[] {
  const imports: Import[] = []
  walk(parse(file).program, (node) => {
    const source = importedBy(node)
    if (!source) return
    const specifier = source.type === 'Literal' && typeof source.value === 'string' ? source.value : 'an expression'
    imports.push({ specifier, target: resolve(file.path, specifier), start: node.start })
  })
  return imports
}

function importedBy(node: Node): ESTree.Expression | null {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source
    default:
      return null
  }
}

/** The path below `src`. An import that leaves `src` keeps its `../`, so it belongs to no layer and is refused. */
function resolve(from: string, specifier: string): string | null {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : null
}

function parse(file: SourceFile): Pick<ParseResult, 'program' | 'comments'> {
  const { program, comments, errors } = parseSync(file.path, file.text)
  if (errors[0]) throw new Error(`${file.path} cannot be parsed: ${errors[0].message}`)
  return { program, comments }
}

function walk(node: Node, visit: (node: Node, parents: readonly Node[]) => void, parents: readonly Node[] = []): void {
  visit(node, parents)
  const inner = [...parents, node]
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, inner)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function at(file: SourceFile, start: number, what: string): Violation {
  return `${file.path}:${file.text.slice(0, start).split('\n').length} ${what}`
}
