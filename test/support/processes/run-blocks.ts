/**
 * Runs modules one after the other in this process, and tells for each what it printed, as a line of JSON. Nothing ends the process:
 * it ends by itself if every module has closed what it opened.
 */
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'

/** Not how long a module may take, but when nobody believes any more that it ends. */
const patienceMs = 30_000

for (const file of process.argv.slice(2)) {
  const printed: string[] = []
  const giveUp = setTimeout(() => {
    process.stdout.write(`${JSON.stringify({ file, printed, error: 'It did not end.' })}\n`)
    process.exit(1)
  }, patienceMs)
  console.log = (...words: unknown[]) => printed.push(...format(...words).split('\n'))
  const error = await import(pathToFileURL(file).href).then(
    () => null,
    (thrown: unknown) => (thrown instanceof Error ? thrown.stack : String(thrown)),
  )
  clearTimeout(giveUp)
  process.stdout.write(`${JSON.stringify({ file, printed, error })}\n`)
}
