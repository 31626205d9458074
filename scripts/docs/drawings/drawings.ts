import { architecture } from './architecture.ts'
import { attempts } from './attempts.ts'
import type { Drawing } from './drawing.ts'
import { gates } from './gates.ts'
import { jobLife } from './job-life.ts'
import { svgOf } from './svg.ts'

/** All drawings, by the name of their file. */
export const drawn: Readonly<Record<string, Drawing>> = {
  architecture,
  attempts,
  gates,
  'job-life': jobLife,
}

export const drawings: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(drawn).map(([name, drawing]) => [name, svgOf(drawing)]),
)
