import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const artifactsMax = 1_000
const pathMaxBytes = 4_096

/** What the program itself can do to its directory: none of it is an error of ours. */
const excused = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'])

/**
 * The regular files that a program left in its directory, the first 1,000 by path. Links are left out, so nothing outside
 * of the directory is listed, nor is the directory itself when the program made a link of it.
 */
export async function listArtifacts(directory: string): Promise<string[]> {
  const found: string[] = []
  if (await isDirectory(directory)) await collect(directory, '', found)
  return found
}

async function collect(root: string, below: string, found: string[]): Promise<void> {
  for (const entry of await entriesOf(join(root, below))) {
    if (found.length >= artifactsMax) return
    const path = below + sortName(entry)
    if (Buffer.byteLength(path) > pathMaxBytes) continue
    if (entry.isFile()) found.push(path)
    if (entry.isDirectory()) await collect(root, path, found)
  }
}

/** In such an order that walking down into each folder on the way gives whole paths in order. */
async function entriesOf(directory: string): Promise<Dirent[]> {
  const entries = await excuse(readdir(directory, { withFileTypes: true }), [])
  return entries.filter(hasReadableName).sort((a, b) => (sortName(a) < sortName(b) ? -1 : 1))
}

function sortName(entry: Dirent): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name
}

/** A name that is not UTF-8 arrives with U+FFFD in it, and nobody could open the file by that. */
function hasReadableName(entry: Dirent): boolean {
  return !entry.name.includes('\ufffd')
}

async function isDirectory(path: string): Promise<boolean> {
  return (await excuse(lstat(path), null))?.isDirectory() ?? false
}

async function excuse<T, E>(reading: Promise<T>, otherwise: E): Promise<T | E> {
  try {
    return await reading
  } catch (error) {
    if (excused.has(String((error as NodeJS.ErrnoException).code))) return otherwise
    throw error
  }
}
