import { constants, createReadStream } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'

/** Where the files of runs are read from. Workers write them below a directory; whoever keeps them elsewhere brings this. */
export interface ArtifactSource {
  /** The file that a run left under a path; null when it is not here. */
  open(runId: string, path: string): Promise<Artifact | null>
}

export interface Artifact {
  readonly bytes: number
  /** Null when there are none. */
  readonly body: ReadableStream<Uint8Array> | null
}

/** The files below the directory of workers on this machine, or of one that they share. */
export function artifactsIn(directory: string): ArtifactSource {
  return {
    open: async (runId, path) => {
      const own = resolve(directory, runId)
      const file = resolve(own, path)
      // Both are checked long before, and a mistake there must not lead out of here.
      if (!own.startsWith(resolve(directory) + sep) || !file.startsWith(own + sep)) return null
      return (await isPlain(own, path)) ? await opened(file) : null
    },
  }
}

/** No step of the way is a link: a program could have left one to any file of this machine. */
async function isPlain(directory: string, path: string): Promise<boolean> {
  let at = directory
  for (const part of ['', ...path.split('/')]) {
    at = join(at, part)
    const stat = await lstat(at).catch(() => null)
    if (stat === null || stat.isSymbolicLink()) return false
  }
  return true
}

/** A pipe that a program has left would keep whoever opens it waiting, and a link may have come since it was looked for. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

async function opened(file: string): Promise<Artifact | null> {
  const handle = await open(file, flags).catch(() => null)
  if (handle === null) return null
  const stat = await handle.stat()
  if (!stat.isFile() || stat.size === 0) {
    await handle.close()
    return stat.isFile() ? { bytes: 0, body: null } : null
  }
  // So many bytes and no more are announced: what is added meanwhile is left out.
  const stream = createReadStream('', { fd: handle, start: 0, end: stat.size - 1 })
  return { bytes: stat.size, body: Readable.toWeb(stream) as ReadableStream<Uint8Array> }
}

/** A file as it is sent: whatever it holds, a browser saves it and does not show it. */
export function artifactResponse(path: string, { bytes, body }: Artifact): Response {
  const name = encodeURIComponent(basename(path))
  return new Response(body, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(bytes),
      'content-disposition': `attachment; filename*=UTF-8''${name}`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  })
}
