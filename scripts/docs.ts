/** Writes what is made of the sources into the documentation. A test holds that nobody has to: `npm run docs` changes nothing. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generatedFiles } from './docs/generated.ts'

const root = join(import.meta.dirname, '..')

for (const [path, text] of generatedFiles(root)) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  console.log(path)
}
