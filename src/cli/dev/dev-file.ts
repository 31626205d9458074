import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What `stint dev` writes down, so that commands in the same project find it. */
export interface DevFile {
  readonly pid: number
  readonly url: string
}

/** Where everything is that `stint dev` keeps. */
export function dataDirectory(root: string): string {
  return join(root, '.stint')
}

export function defaultDatabase(root: string): string {
  return join(dataDirectory(root), 'stint.db')
}

function fileOf(root: string): string {
  return join(dataDirectory(root), 'dev.json')
}

/** The `stint dev` that runs in a project; null when none does. One that was killed has left its file behind. */
export function runningDev(root: string): DevFile | null {
  try {
    const dev = JSON.parse(readFileSync(fileOf(root), 'utf8')) as DevFile
    process.kill(dev.pid, 0)
    return dev
  } catch {
    return null
  }
}

export function writeDevFile(root: string, dev: DevFile): void {
  mkdirSync(dataDirectory(root), { recursive: true })
  writeFileSync(fileOf(root), `${JSON.stringify(dev)}\n`)
}

export function removeDevFile(root: string): void {
  if (runningDev(root)?.pid === process.pid) rmSync(fileOf(root), { force: true })
}
