import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { StintError } from '../../../src/core/errors.ts'
import { JobName } from '../../../src/core/names/job-name.ts'
import { expectRefusal, notDecimals, notStrings, untyped } from './refusal.ts'

const component = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  fc.constantFrom('a', 'b', 'bc', 'b c', '0', '7', '007', '-1', '..', 'é', '名前', '👍'),
)
const components = fc.array(
  component.filter((text) => text.trim() !== '' && !text.includes('/')),
  { minLength: 1, maxLength: 5 },
)
const anyName = components.map((parts) => JobName.parse(`/${parts.join('/')}`))

/** Strings that are names, or would be but for one thing. */
const nearName = fc
  .array(fc.constantFrom('/', '/', 'a', 'b', ' ', '\t', '0', '-', '//', '\ud800', 'é'), { maxLength: 8 })
  .map((pieces) => pieces.join(''))

function refuses(act: () => unknown, input: unknown, rule: RegExp): void {
  expectRefusal('invalid_name', act, input, rule)
}

describe('parse', () => {
  it.each([
    ['/my-job', ['my-job']],
    ['/reports/daily/render', ['reports', 'daily', 'render']],
    ['/reports/daily/render/3', ['reports', 'daily', 'render', '3']],
    ['/with space/ leading', ['with space', ' leading']],
    ['/../.', ['..', '.']],
    ['/名前/👍', ['名前', '👍']],
    ['/a\nb', ['a\nb']],
  ])('reads %j', (text, expected) => {
    const name = JobName.parse(text)
    expect(name.components).toEqual(expected)
    expect(name.depth).toBe(expected.length)
    expect(name.toString()).toBe(text)
  })

  it.each([
    ['', /starts with "\/"/],
    ['my-job', /starts with "\/"/],
    [' /a', /starts with "\/"/],
    ['/', /empty or blank/],
    ['//', /empty or blank/],
    ['//a', /empty or blank/],
    ['/a/', /empty or blank/],
    ['/a//b', /empty or blank/],
    ['/a/ /b', /empty or blank/],
    ['/a/\t\n', /empty or blank/],
    ['/\u00a0', /empty or blank/],
  ])('refuses %j', (text, rule) => {
    refuses(() => JobName.parse(text), text, rule)
    refuses(() => JobName.fromWire(text), text, rule)
  })

  it('refuses what is not a string', () => {
    for (const input of [...notStrings, JobName.root('a')]) {
      refuses(() => JobName.parse(untyped(input)), input, /is a string/)
      refuses(() => JobName.fromWire(untyped(input)), input, /is a string/)
    }
  })

  it('does not echo an input without bound', () => {
    const error = catchError(() => JobName.parse('x'.repeat(100_000)))
    expect(error.message.length).toBeLessThan(300)
    expect(error.details).toEqual({ rule: 'a name starts with "/"' })
  })
})

describe('root, child and task', () => {
  it('build what parse reads', () => {
    expect(JobName.root('a')).toEqual(JobName.parse('/a'))
    expect(JobName.root('a').child('b').child('c')).toEqual(JobName.parse('/a/b/c'))
    expect(JobName.root('job').task(0)).toEqual(JobName.parse('/job/0'))
    expect(JobName.root('job').task(-0).toString()).toBe('/job/0')
    expect(JobName.root('job').task(Number.MAX_SAFE_INTEGER).taskIndex).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('take exactly one component', () => {
    const base = JobName.root('a')
    for (const make of [JobName.root, base.child.bind(base)]) {
      refuses(() => make('b/c'), 'b/c', /contains no "\/"/)
      refuses(() => make('/b'), '/b', /contains no "\/"/)
      refuses(() => make(''), '', /empty or blank/)
      refuses(() => make(' '), ' ', /empty or blank/)
      for (const input of [...notStrings, base]) refuses(() => make(untyped(input)), input, /is a string/)
    }
  })

  it('refuse an index that is no task number', () => {
    for (const input of notDecimals) {
      refuses(() => JobName.root('a').task(untyped(input)), input, /an integer from 0 to 9007199254740991/)
    }
  })

  it('leave it to the submit rules that tasks have no children', () => {
    expect(JobName.parse('/a/0').child('b').toString()).toBe('/a/0/b')
    expect(JobName.parse('/a/0').task(1).toString()).toBe('/a/0/1')
  })
})

describe('properties', () => {
  test('of a root', () => {
    const name = JobName.parse('/my-job')
    expect([name.parent, name.namespace, name.name]).toEqual([null, 'my-job', 'my-job'])
    expect([name.isRoot, name.taskIndex, name.isTask]).toEqual([true, null, false])
  })

  test('of a task', () => {
    const name = JobName.parse('/ns/job/17')
    expect([name.parent, name.namespace, name.name]).toEqual([JobName.parse('/ns/job'), 'ns', '17'])
    expect([name.isRoot, name.taskIndex, name.isTask]).toEqual([false, 17, true])
  })

  it.each([
    ['0', 0],
    ['17', 17],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', null],
    ['9007199254740993', null],
    ['1'.repeat(400), null],
    ...['007', '00', '-1', '+3', '1.0', '-0', '1e3', '0x1', '1_000', ' 1', '1\n', '١', 'NaN'].map((s) => [s, null]),
  ] as [string, number | null][])('the task number of %j is %j', (text, index) => {
    const name = JobName.root('job').child(text)
    expect(name.taskIndex).toBe(index)
    expect(name.isTask).toBe(index !== null)
  })
})

describe('requireTask', () => {
  it('gives the job and the index', () => {
    const { job, index } = JobName.parse('/ns/job/3').requireTask()
    expect(job.toString()).toBe('/ns/job')
    expect(index).toBe(3)
  })

  it('refuses a job', () => {
    refuses(() => JobName.parse('/ns/job').requireTask(), '/ns/job', /not a task/)
    refuses(() => JobName.parse('/ns/job/007').requireTask(), '/ns/job/007', /not a task/)
  })

  it('refuses a number at the root, which is a task by its form but of no job', () => {
    const name = JobName.parse('/5')
    expect([name.isTask, name.taskIndex, name.parent]).toEqual([true, 5, null])
    refuses(() => name.requireTask(), '/5', /no job above/)
  })
})

describe('isAncestorOf', () => {
  it.each([
    ['/a', '/a/b', true],
    ['/a', '/a/b/0', true],
    ['/a/b', '/a/b', true],
    ['/a/b', '/a/bc', false],
    ['/a/b', '/a/bc/d', false],
    ['/a/b', '/a', false],
    ['/a', '/b', false],
    ['/a', '/A/b', false],
  ])('%s of %s is %s', (ancestor, other, expected) => {
    expect(JobName.parse(ancestor).isAncestorOf(JobName.parse(other))).toBe(expected)
  })

  it('counts the name itself only if asked to', () => {
    const name = JobName.parse('/a/b')
    expect(name.isAncestorOf(name)).toBe(true)
    expect(name.isAncestorOf(name, {})).toBe(true)
    expect(name.isAncestorOf(name, { includeSelf: true })).toBe(true)
    expect(name.isAncestorOf(name, { includeSelf: false })).toBe(false)
    expect(name.isAncestorOf(name.child('c'), { includeSelf: false })).toBe(true)
  })

  it('refuses what is no JobName', () => {
    for (const input of [...notStrings, '/a/b']) {
      refuses(() => JobName.root('a').isAncestorOf(untyped(input)), input, /a JobName is needed/)
    }
  })

  it('compares component by component', () => {
    const few = fc.array(fc.constantFrom('a', 'b', 'ab', '0'), { minLength: 1, maxLength: 4 })
    const isPrefix = (a: string[], b: string[]) => a.length <= b.length && a.every((part, at) => part === b[at])
    fc.assert(
      fc.property(few, few, fc.boolean(), (a, b, includeSelf) => {
        const [left, right] = [JobName.parse(`/${a.join('/')}`), JobName.parse(`/${b.join('/')}`)]
        const expected = isPrefix(a, b) && (includeSelf || a.length < b.length)
        expect(left.isAncestorOf(right, { includeSelf })).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('as a value', () => {
  it('equals by its text, and nothing else equals it', () => {
    const name = JobName.parse('/a/b')
    expect(name.equals(JobName.root('a').child('b'))).toBe(true)
    expect(name.equals(JobName.parse('/a/c'))).toBe(false)
    for (const input of [...notStrings, '/a/b']) expect(name.equals(untyped(input))).toBe(false)
  })

  it('prints the same everywhere', () => {
    const name = JobName.parse('/a/b')
    expect([`${name}`, name.toString(), name.toWire(), name.toJSON()]).toEqual(Array(4).fill('/a/b'))
    expect(JSON.stringify({ name, list: [name] })).toBe('{"name":"/a/b","list":["/a/b"]}')
  })

  it('cannot be changed', () => {
    const name = JobName.parse('/a/b')
    expect(Object.isFrozen(name)).toBe(true)
    expect(Object.isFrozen(name.components)).toBe(true)
    expect(() => Object.assign(name, { components: ['x'] })).toThrow(TypeError)
  })

  it('differs from another name in structural comparisons', () => {
    expect(JobName.parse('/a/b')).not.toEqual(JobName.parse('/a/c'))
  })
})

describe('laws', () => {
  test('text and name are inverse', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const again = JobName.parse(name.toWire())
        expect(again.equals(name)).toBe(true)
        expect(again).toEqual(name)
        expect(JSON.parse(JSON.stringify(name))).toBe(name.toString())
      }),
      { numRuns: 1000 },
    )
  })

  test('whatever parses prints the same text, and all else is refused as a name', () => {
    fc.assert(
      fc.property(fc.oneof(nearName, fc.string({ unit: 'binary' })), (text) => {
        const isName =
          text.startsWith('/') &&
          text
            .split('/')
            .slice(1)
            .every((part) => part.trim() !== '')
        if (isName) expect(JobName.parse(text).toString()).toBe(text)
        else expect(catchError(() => JobName.parse(text)).code).toBe('invalid_name')
      }),
      { numRuns: 2000 },
    )
  })

  test('components, namespace, name and parent agree', () => {
    fc.assert(
      fc.property(components, (parts) => {
        const name = JobName.parse(`/${parts.join('/')}`)
        expect(name.components).toEqual(parts)
        expect(name.namespace).toBe(parts[0])
        expect(name.name).toBe(parts.at(-1))
        expect(name.isRoot).toBe(parts.length === 1)
        expect(name.parent?.components ?? []).toEqual(parts.slice(0, -1))
        expect(name.parent?.child(name.name) ?? JobName.root(name.name)).toEqual(name)
      }),
      { numRuns: 1000 },
    )
  })

  test('task and requireTask are inverse', () => {
    fc.assert(
      fc.property(anyName, fc.maxSafeNat(), (name, index) => {
        const task = name.task(index)
        expect(task.requireTask()).toEqual({ job: name, index })
        expect(name.isAncestorOf(task, { includeSelf: false })).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})

function catchError(act: () => unknown): StintError {
  try {
    act()
  } catch (error) {
    if (error instanceof StintError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
