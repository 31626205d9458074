import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqliteStore, openSqliteStoreHere } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { type Program, RunningProgram } from '../support/processes/run-program.ts'
import { allJobs, times } from '../support/racing.ts'
import { claimOf, completion } from '../support/requests.ts'

interface Place {
  readonly file: string
  start(program: Program, name: string, count: number): RunningProgram
  open(): Promise<Store>
  /** What SQLite itself says about the file. */
  integrity(): unknown
}

function setup(): Place {
  const directory = mkdtempSync(join(tmpdir(), 'stint-test-'))
  const file = join(directory, 'stint.db')
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return {
    file,
    start: (program, name, count) => new RunningProgram(program, { database: { file }, name, count }),
    open: async () => {
      const store = await openSqliteStore({ file })
      onTestFinished(() => store.close())
      return store
    },
    integrity: () => {
      const db = new DatabaseSync(file, { timeout: 5_000 })
      try {
        return db
          .prepare('pragma integrity_check')
          .all()
          .map((row) => row['integrity_check'])
      } finally {
        db.close()
      }
    },
  }
}

describe('several processes on one SQLite file', () => {
  it('work at the same time, from the first moment of the file: every job ends once', async () => {
    const place = setup()
    const programs = times(4, (i) => place.start('work', `p${i}`, 100))
    const said = (await Promise.all(programs.map((program) => program.finished()))).map((lines) => {
      return JSON.parse(lines.at(-1) ?? '') as { submitted: number; completed: number }
    })
    expect(said.map(({ submitted }) => submitted)).toEqual([100, 100, 100, 100])

    const store = await place.open()
    // What was submitted after the others had gone.
    const rest = await store.claim(claimOf({ limit: 1_000 }))
    await store.apply(rest.map((job) => completion(job)))
    expect(said.reduce((sum, { completed }) => sum + completed, rest.length)).toBe(400)
    const jobs = await allJobs(store)
    expect(jobs).toHaveLength(400)
    for (const { job } of jobs)
      expect(job).toMatchObject({ state: 'final', outcome: 'COMPLETED', attempt: 1, version: 3 })
    expect(await verify(store)).toEqual([])
    expect(place.integrity()).toEqual(['ok'])
  })

  it('can all be the first to open a file', async () => {
    const { file } = setup()
    const [count, startAt] = [30, Date.now() + 1_000]
    const programs = times(
      3,
      (i) => new RunningProgram('open-together', { database: { file }, name: `p${i}`, count, startAt }),
    )
    await Promise.all(programs.map((program) => program.finished()))
    for (const i of Array.from({ length: count }).keys()) {
      const store = await openSqliteStoreHere({ file: `${file}-${i}` })
      const { entries } = await store.events({ limit: 10 })
      expect(entries.map(({ source }) => source).sort()).toEqual(['p0', 'p1', 'p2'])
      await store.close()
    }
  })

  it('come and go without meeting a locked file', async () => {
    const place = setup()
    await Promise.all(times(4, (i) => place.start('come-and-go', `p${i}`, 25).finished()))
    const store = await place.open()
    expect(await allJobs(store)).toHaveLength(100)
    expect(await verify(store)).toEqual([])
  })

  it('lose nothing that was answered when they are killed, one after the other', async () => {
    const place = setup()
    const acknowledged: string[] = []
    for (const round of [0, 1, 2, 3, 4]) {
      const program = place.start('submit-for-ever', `r${round}`, 1 + round)
      await program.heard(40 + 13 * round)
      await program.kill()
      acknowledged.push(...program.lines)
      expect(place.integrity()).toEqual(['ok'])
    }
    await expectAll(await place.open(), acknowledged)
  })

  it('lose nothing that was answered when one is killed beside others that go on', async () => {
    const place = setup()
    const survivor = place.start('submit-for-ever', 'survivor', 2)
    await survivor.heard(5)
    const victims: RunningProgram[] = []
    for (const round of [0, 1, 2, 3]) {
      const victim = place.start('submit-for-ever', `v${round}`, 2)
      await victim.heard(20)
      await victim.kill()
      victims.push(victim)
      // The others notice nothing: they still get answers.
      await survivor.heard(survivor.lines.length + 10)
    }
    await survivor.kill()
    const acknowledged = [survivor, ...victims].flatMap(({ lines }) => lines)
    await expectAll(await place.open(), acknowledged)
    expect(place.integrity()).toEqual(['ok'])
  })
})

async function expectAll(store: Store, ids: readonly string[]): Promise<void> {
  const found = await store.find(ids.map((id) => ({ id })))
  expect(found.map((stored) => stored?.job.id)).toEqual(ids)
  expect(await verify(store)).toEqual([])
}
