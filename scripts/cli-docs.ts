/** Writes docs/cli.md, the reference of the command line, from what its commands say of themselves. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../src/cli/commands/commands.ts'
import { referencePage } from '../src/cli/reference.ts'

const page = join(import.meta.dirname, '../docs/cli.md')
writeFileSync(page, referencePage(commands))
console.log(`Wrote ${page}.`)
