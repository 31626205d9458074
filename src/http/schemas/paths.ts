import { z } from 'zod'
import { durationMs, path, shownInstant } from './common.ts'
import { settingsFields, shownSettingsFields } from './settings.ts'

/** What holds below a path. */

export const atPath = z.strictObject({ path })

export const defaults = z
  .object({ path: z.string(), settings: z.object(shownSettingsFields), updatedAt: shownInstant })
  .meta({ id: 'Defaults' })

export const newDefaults = z
  .strictObject({ path, settings: z.strictObject(settingsFields) })
  .meta({ id: 'NewDefaults' })

const keptMs = durationMs.nullable().meta({ description: 'In milliseconds; null for ever.' })

export const effectiveRetention = z
  .object({ jobsMs: keptMs, runsMs: keptMs, eventsMs: keptMs })
  .meta({ id: 'EffectiveRetention' })

export const retention = z
  .object({ path: z.string(), policy: effectiveRetention.partial(), updatedAt: shownInstant })
  .meta({ id: 'Retention' })

export const newRetention = z
  .strictObject({
    path,
    policy: z
      .strictObject({ jobsMs: keptMs, runsMs: keptMs, eventsMs: keptMs })
      .partial()
      .meta({ description: 'How long it is kept after its end. What is not said, the path above says.' }),
  })
  .meta({ id: 'NewRetention' })
