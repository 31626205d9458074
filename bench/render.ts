/** Writes the tables and plots of docs/benchmarks.md anew from the JSON documents that are kept beside it. */
import { names, render } from './report/documents.ts'

for (const name of names) render(name)
