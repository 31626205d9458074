/** A process in which one scenario is measured, on the built package with default settings but for the concurrency. */
import { createStint } from '../harness/built-stint.ts'
import { serve } from '../harness/serve.ts'
import * as shards from './shards.ts'
import * as slots from './slots.ts'
import { type Figures, type Scenario, type Size, Stage } from './stage.ts'

const scenarios = {
  'plain jobs': shards.plain,
  shards: shards.shards,
  'shards, default width': shards.shardsByDefault,
  slices: shards.slices,
  'pick-up': shards.idle,
  'pick-up beside slices': shards.besideWorking,
  'pick-up beside slices that end at once': shards.besideBusy,
  chain: slots.chain,
  'fan-in': slots.fanIn,
  'fan-out': slots.fanOut,
} satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof scenarios

function commandsOf(stage: Stage, scenario: Scenario) {
  let measure = (): Promise<Figures> => Promise.reject(new Error('Nothing is prepared.'))
  return {
    async prepare(size: Size): Promise<void> {
      measure = await scenario(stage, size)
    },
    async measure(): Promise<Figures> {
      const figures = await measure()
      await stage.stop()
      return figures
    },
    verify: () => stage.verify(),
    close: () => stage.stint.close(),
  }
}

export type ScenarioCommands = ReturnType<typeof commandsOf>

if (import.meta.main) {
  const [name, url] = process.argv.slice(2)
  serve(commandsOf(new Stage(await createStint({ url: url ?? '' })), scenarios[name as ScenarioName]))
}
