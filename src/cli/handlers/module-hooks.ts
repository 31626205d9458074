import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** What of the project was imported, and how it is imported anew. */
export interface ProjectModules {
  /** Files of the project that handlers are made of. */
  readonly files: ReadonlySet<string>
  /** Imports a file, and all of the project that it imports, as they are now. What runs keeps what it has. */
  importFresh(file: string): Promise<Readonly<Record<string, unknown>>>
  /** From now on files are read again. */
  renew(): void
}

const generationParam = 'stint-generation'

/**
 * Lets the files of a project be imported more than once. Modules are never forgotten by Node, so each generation has
 * addresses of its own. `stint` in handlers means this very package: two copies would not know each other's errors and slots.
 */
export function projectModules(root: string): ProjectModules {
  const base = `${pathToFileURL(root).href}/`
  const files = new Set<string>()
  const own = ownExports()
  let generation = 0

  registerHooks({
    resolve: (specifier, context, next) => {
      const ours = own.get(specifier)
      if (ours !== undefined) return { url: ours, shortCircuit: true }
      const parent = context.parentURL ?? ''
      const resolved = resolveLoosely(specifier, (each) => next(each, context))
      if (!isOfProject(resolved.url, base)) return resolved
      files.add(fileURLToPath(bareUrl(resolved.url)))
      // What an old module imports later belongs to its own time.
      const of = new URL(parent, base).searchParams.get(generationParam) ?? String(generation)
      return of === '0' ? resolved : { ...resolved, url: `${bareUrl(resolved.url)}?${generationParam}=${of}` }
    },
  })
  return {
    files,
    importFresh: async (file) => {
      const query = generation === 0 ? '' : `?${generationParam}=${generation}`
      return await import(`${pathToFileURL(file).href}${query}`)
    },
    renew: () => {
      generation += 1
    },
  }
}

function bareUrl(url: string): string {
  return url.replace(/\?.*$/, '')
}

function isOfProject(url: string, base: string): boolean {
  return url.startsWith(base) && !url.includes('/node_modules/')
}

type Resolved = ReturnType<Parameters<NonNullable<Parameters<typeof registerHooks>[0]['resolve']>>[2]>

/** Sources that are written for a compiler say `./x.js`, or `./x`, and mean `./x.ts`. */
function resolveLoosely(specifier: string, resolve: (specifier: string) => Resolved): Resolved {
  try {
    return resolve(specifier)
  } catch (error) {
    if (!/^\.{0,2}\//.test(specifier)) throw error
    const stem = specifier.replace(/\.[cm]?js$/, '')
    for (const guess of [`${stem}.ts`, `${stem}.mts`, `${stem}/index.ts`, `${stem}.js`, `${stem}/index.js`]) {
      try {
        return resolve(guess)
      } catch {
        // The next guess.
      }
    }
    throw error
  }
}

/** What this package exports, by how it is imported, at the addresses where it is loaded already. */
function ownExports(): ReadonlyMap<string, string> {
  const home = new URL('../../../', import.meta.url)
  const condition = import.meta.url.endsWith('.ts') ? 'stint-source' : 'default'
  const { name, exports } = JSON.parse(readFileSync(new URL('package.json', home), 'utf8')) as {
    readonly name: string
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  }
  return new Map(
    Object.entries(exports).flatMap(([path, target]) => {
      return typeof target === 'string'
        ? []
        : [[path.replace(/^\./, name), new URL(target[condition] ?? '', home).href]]
    }),
  )
}
