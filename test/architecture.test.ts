import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  findCycles,
  findDashboardBreaks,
  findImpurities,
  findLayerBreaks,
  findUncheckedCode,
  readSources,
} from './support/architecture.ts'

const sources = readSources(join(import.meta.dirname, '..', 'src'))

/** One planted file, on its own. */
const file = (path: string, text: string) => [{ path, text }]

test('there are sources to check', () => {
  expect(sources.map(({ path }) => path)).toContain('core/errors.ts')
})

describe('the core is pure', () => {
  test('it imports only itself and reads no clock, randomness or global', () => {
    expect(findImpurities(sources)).toEqual([])
  })

  test.for([
    ['Date.now()', 'Date.now'],
    ["Date['now']()", 'Date.now'],
    ['Date[name]()', 'Date with a computed member'],
    ['const { now } = Date', 'Date other than by a pure member'],
    ['const D = Date', 'Date other than by a pure member'],
    ['Date()', 'Date other than by a pure member'],
    ['new Date()', 'new Date() without arguments'],
    ['new Date', 'new Date() without arguments'],
    ['performance.now()', 'performance'],
    ['Math.random()', 'Math.random'],
    ['const { random } = Math', 'Math other than by a pure member'],
    ['crypto.randomUUID()', 'crypto'],
    ['const o = { crypto }', 'crypto'],
    ['setTimeout(f, 1)', 'setTimeout'],
    ['setInterval(f, 1)', 'setInterval'],
    ['setImmediate(f)', 'setImmediate'],
    ['queueMicrotask(f)', 'queueMicrotask'],
    ['process.env', 'process'],
    [`const text = \`\${process.pid}\``, 'process'],
    ['fetch(url)', 'fetch'],
    ['globalThis.x', 'globalThis'],
    ["Buffer.from('x')", 'Buffer'],
    ['function f(at = Date.now()) {}', 'Date.now'],
    ['class A { at = performance.now() }', 'performance'],
    ['import.meta.url', 'import.meta'],
  ] as const)('a planted violation is found: %s', ([code, what]) => {
    expect(findImpurities(file('core/job/planted.ts', `\n${code}`))).toEqual([
      `core/job/planted.ts:2 uses ${what}; the core is pure`,
    ])
  })

  test.for([
    ["import { readFile } from 'node:fs'", 'node:fs'],
    ["import type { Pool } from 'pg'", 'pg'],
    ["export { z } from 'zod'", 'zod'],
    ["export * from 'zod'", 'zod'],
    ["const fs = await import('node:fs')", 'node:fs'],
    ["let pool: import('pg').Pool", 'pg'],
    ["import { x } from '../../store/store.ts'", '../../store/store.ts'],
    ["import '../../../test/x.ts'", '../../../test/x.ts'],
    ['await import(name)', 'an expression'],
  ] as const)('a planted import is found: %s', ([code, specifier]) => {
    expect(findImpurities(file('core/job/planted.ts', code))).toEqual([
      `core/job/planted.ts:1 imports '${specifier}'; the core imports only the core`,
    ])
  })

  test.for([
    "import { show } from '../errors.ts'",
    '// Date.now() and process.env',
    "const text = 'Date.now() process setTimeout(f)' + `fetch`",
    'const at = new Date(0).getTime() + Date.UTC(2026, 0) + Math.max(1, 2)',
    'job.process(); const o = { fetch: 1 }; o.fetch',
    'const isDate = x instanceof Date',
    'function f(at: Date, now: () => number): Date { return new Date(now()) }',
    'interface Clock { performance: number; at: typeof Date.now }',
  ])('what is allowed is not found: %s', (code) => {
    expect(findImpurities(file('core/job/fine.ts', code))).toEqual([])
  })

  test('other layers may do all of it', () => {
    expect(findImpurities(file('engine/clock.ts', "import 'node:fs'; Date.now()"))).toEqual([])
  })
})

describe('imports only point down the layers', () => {
  test('in the sources', () => {
    expect(findLayerBreaks(sources)).toEqual([])
  })

  test.for([
    ['core/a.ts', '../store/store.ts', 'core may not import store'],
    ['store/a.ts', '../engine/worker.ts', 'store may not import engine'],
    ['engine/upkeep/a.ts', '../../http/server.ts', 'engine may not import http'],
    ['http/a.ts', '../cli/main.ts', 'http may not import cli'],
    ['cli/a.ts', '../web/main.tsx', 'cli may not import web'],
    ['engine/a.ts', '../index.ts', 'engine may not import index.ts'],
    ['testing/a.ts', '../index.ts', 'testing may not import index.ts'],
    ['engine/a.ts', '../testing/clock.ts', 'engine may not import testing'],
    ['store/a.ts', '../../test/support/x.ts', 'store may not import ..'],
  ] as const)('a planted violation is found: %s imports %s', ([path, specifier, what]) => {
    for (const code of [`import '${specifier}'`, `import type { X } from '${specifier}'`]) {
      expect(findLayerBreaks(file(path, code))).toEqual([`${path}:1 imports '${specifier}'; ${what}`])
    }
  })

  test('a folder or a file outside the layers is found', () => {
    expect(findLayerBreaks(file('helpers/a.ts', ''))).toEqual([
      'helpers/a.ts:1 belongs to no layer that the architecture knows',
    ])
    expect(findLayerBreaks(file('main.ts', ''))).toHaveLength(1)
  })

  test.for([
    ['cli/a.ts', '../http/server.ts'],
    ['cli/a.ts', '../core/errors.ts'],
    ['http/a.ts', '../engine/client.ts'],
    ['engine/a.ts', '../store/store.ts'],
    ['store/sqlite/a.ts', '../store.ts'],
    ['index.ts', './engine/client.ts'],
    ['testing/a.ts', '../engine/client.ts'],
    ['store/postgres/a.ts', 'pg'],
  ] as const)('what is allowed is not found: %s imports %s', ([path, specifier]) => {
    expect(findLayerBreaks(file(path, `import '${specifier}'`))).toEqual([])
  })
})

describe('files do not import each other in a circle', () => {
  test('in the sources', () => {
    expect(findCycles(sources)).toEqual([])
  })

  test('a planted circle is found', () => {
    const planted = [
      { path: 'core/a.ts', text: "import { b } from './b.ts'" },
      { path: 'core/b.ts', text: "import './d.ts'\nexport * from './job/c.ts'" },
      { path: 'core/d.ts', text: '' },
      { path: 'core/job/c.ts', text: "import type { A } from '../a.ts'" },
    ]
    expect(findCycles(planted)).toEqual(['core/a.ts → core/b.ts → core/job/c.ts → core/a.ts'])
  })

  test('two ways to the same file are no circle', () => {
    const planted = [
      { path: 'core/a.ts', text: "import './b.ts'\nimport './c.ts'" },
      { path: 'core/b.ts', text: "import './c.ts'" },
      { path: 'core/c.ts', text: '' },
    ]
    expect(findCycles(planted)).toEqual([])
  })
})

describe('the type checker sees everything', () => {
  test('in the sources', () => {
    expect(findUncheckedCode(sources)).toEqual([])
  })

  test.for([
    ['let x: any', 'uses the type any'],
    ['f(x as any)', 'uses the type any'],
    ['let x: Record<string, any>', 'uses the type any'],
    ['// @ts-ignore', 'silences the type checker'],
    ['/* @ts-nocheck */', 'silences the type checker'],
  ] as const)('a planted violation is found: %s', ([code, what]) => {
    expect(findUncheckedCode(file('core/a.ts', code))).toEqual([`core/a.ts:1 ${what}`])
  })

  test('the word any is not found in comments, texts and names', () => {
    expect(findUncheckedCode(file('core/a.ts', "// as any\nconst any = ': any'"))).toEqual([])
  })
})

describe('the dashboard is a client like any other', () => {
  const dashboard = readSources(join(import.meta.dirname, '../web/src'))

  test('in its sources', () => {
    expect(dashboard.length).toBeGreaterThan(50)
    expect(findDashboardBreaks(dashboard)).toEqual([])
    expect(findCycles(dashboard)).toEqual([])
    expect(findUncheckedCode(dashboard)).toEqual([])
  })

  test.for([
    "import { evolve } from '../../src/core/job/evolve.ts'",
    "import { createStint } from 'stint'",
    "import { readFile } from 'node:fs'",
    'element.innerHTML = job.name',
    'const a = <p dangerouslySetInnerHTML={{ __html: job.name }} />',
  ])('a planted violation is found: %s', (code) => {
    expect(findDashboardBreaks(file('a.tsx', code))).toHaveLength(1)
  })

  test('what is allowed is not found', () => {
    const code = "import { connect } from 'stint/client'\nimport { cx } from './ui/class-names.ts'"
    expect(findDashboardBreaks(file('a.tsx', code))).toEqual([])
  })
})
