#!/usr/bin/env node
// Written so that every Node can read it: one that is too old for the rest is told so here.
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(
    `Stint needs Node 24 or later, and this is Node ${process.versions.node}.\n` +
      'Install it from https://nodejs.org, or run: npx -p node@24 -p stint stint dev\n',
  )
  process.exit(2)
}

// What was compiled once is not compiled again: most of a short command is that.
nodeModule.enableCompileCache()
// In a checkout there are sources, and what was built of them may be old.
const source = new URL('../src/cli/main.ts', import.meta.url)
const { main } = await import(existsSync(source) ? source.href : '../dist/cli/main.js')
process.exitCode = await main(process.argv.slice(2))
// A handler that did not stop when it was told to must not hold the process for ever.
setTimeout(() => process.exit(), 1_000).unref()
