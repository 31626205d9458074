import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliPage } from './cli-page.ts'
import { configPage } from './config-page.ts'
import { drawings } from './drawings/drawings.ts'
import { errorsPage } from './errors-page.ts'
import { eventsPage } from './events-page.ts'
import { grafanaDashboard } from './grafana.ts'
import { httpPage } from './http-page.ts'
import { llmsText } from './llms.ts'
import { metricsPage } from './metrics-page.ts'

/** Every file that is made rather than written, by its path from the root. */
export function generatedFiles(root: string): ReadonlyMap<string, string> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  return new Map([
    ['docs/cli.md', cliPage()],
    ['docs/errors.md', errorsPage()],
    ['docs/reference/events.md', eventsPage()],
    ['docs/reference/metrics.md', metricsPage(root)],
    ['docs/reference/config.md', configPage(root)],
    ['docs/reference/http.md', httpPage()],
    ['deploy/grafana.json', grafanaDashboard()],
    ['llms.txt', llmsText(read('docs/README.md'))],
    ...Object.entries(drawings).map(([name, text]) => [`docs/drawings/${name}.svg`, text] as const),
  ])
}
