/**
 * Runs one command of `stint` after the other, each as if it had a process of its own: its directory, its environment and
 * what it prints are its own. A process that starts takes a hundred times as long as what most commands do.
 */
import { main } from '../../../src/cli/main.ts'

export interface Asked {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Every command looks for the end of its streams. */
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)

const texts = { out: '', err: '' }
process.stdout.write = taking('out')
process.stderr.write = taking('err')

function taking(name: keyof typeof texts): typeof process.stdout.write {
  return (chunk: string | Uint8Array) => {
    texts[name] += String(chunk)
    return true
  }
}

let last: Promise<void> = Promise.resolve()

process.on('message', (asked: Asked) => {
  last = last.then(async () => {
    process.chdir(asked.cwd)
    process.env = asked.env
    const code = await main(asked.args)
    process.send?.({ code, ...texts })
    texts.out = ''
    texts.err = ''
  })
})
