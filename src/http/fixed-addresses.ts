/** Answers a request, given what stands in the places of its address that are named. */
export type Answering = (request: Request, given: Given) => Promise<Response>

export type Given = Readonly<Record<string, string>>

const nothing: Given = {}

/**
 * The addresses in which nothing is named, `/v1/jobs` among them: to look for them in a map costs a small part of what a router takes,
 * and what is asked for most often is asked for there. An address that is written in another way is left to the router.
 */
export class FixedAddresses {
  readonly #byPath = new Map<string, Map<string, Answering>>()

  add(method: string, path: string, answering: Answering): void {
    const methods = this.#byPath.get(path) ?? new Map<string, Answering>()
    this.#byPath.set(path, methods.set(method, answering))
  }

  /** Null when the router has to look. */
  answer(request: Request): Promise<Response> | null {
    const answering = this.#byPath.get(pathOf(request.url))?.get(request.method)
    return answering === undefined ? null : answering(request, nothing)
  }
}

/** Of an absolute address. It is longer than `https://`. */
function pathOf(url: string): string {
  const start = url.indexOf('/', 8)
  const query = url.indexOf('?', start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}
