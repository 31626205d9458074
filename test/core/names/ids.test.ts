import { describe, expect, it } from 'vitest'
import { IncrementalTaskId, JobRunId, RunId, SlotId } from '../../../src/core/names/ids.ts'
import { expectRefusal, notDecimals, notStrings, untyped } from './refusal.ts'

const id = JobRunId.parse('p:d:n:x')

function refuses(act: () => unknown, input: unknown, rule: RegExp): void {
  expectRefusal('invalid_id', act, input, rule)
}

describe.each([
  ['JobRunId', JobRunId],
  ['SlotId', SlotId],
])('%s', (_kind, Id) => {
  it('has four parts', () => {
    const { project, database, namespace, name } = Id.parse('my-project:main:reports:018f.A_b~c-d')
    expect([project, database, namespace, name]).toEqual(['my-project', 'main', 'reports', '018f.A_b~c-d'])
  })

  it('has null for an empty database or namespace', () => {
    const { database, namespace } = Id.parse('p:::x')
    expect([database, namespace]).toEqual([null, null])
    expect(Id.parse('p:::x').encode()).toBe('p:::x')
  })

  it('takes the absent in any form', () => {
    for (const absent of [undefined, null, '']) {
      const made = new Id({ project: 'p', database: absent, namespace: absent, name: 'x' })
      expect(made).toEqual(Id.parse('p:::x'))
    }
    expect(new Id({ project: 'p', name: 'x' })).toEqual(Id.parse('p:::x'))
  })

  it.each([
    ['', /exactly four parts/],
    ['p:d:n', /exactly four parts/],
    ['a:b:c:d:', /exactly four parts/],
    ['a:b:c:d:e', /exactly four parts/],
    [':d:n:x', /the project/],
    ['p:d:n:', /the name/],
    [':::', /the project/],
    ['p/q:d:n:x', /the project/],
    ['p:d d:n:x', /the database/],
    ['p:d:né:x', /the namespace/],
    ['p:d:n:x\n', /the name/],
    ['p:d:n:%20', /the name/],
    [' p:d:n:x', /the project/],
  ])('does not parse %j', (text, rule) => {
    refuses(() => Id.parse(text), text, rule)
  })

  it('is not parsed from what is not a string', () => {
    for (const input of [...notStrings, Id.parse('p:d:n:x')]) refuses(() => Id.parse(untyped(input)), input, /a string/)
  })

  it('checks its parts when it is made', () => {
    const good = { project: 'p', database: 'd', namespace: 'n', name: 'x' }
    for (const part of ['project', 'database', 'namespace', 'name']) {
      for (const bad of ['a:b', 'a/b', ' ', 'é', 'a\n', 7, {}, true]) {
        refuses(() => new Id(untyped({ ...good, [part]: bad })), bad, new RegExp(`the ${part}`))
      }
    }
    for (const absent of [undefined, null, '']) {
      refuses(() => new Id(untyped({ ...good, project: absent })), absent, /the project/)
      refuses(() => new Id(untyped({ ...good, name: absent })), absent, /the name/)
    }
  })

  it('is made of an object with the parts', () => {
    for (const input of [undefined, null, 'p:d:n:x', 7]) refuses(() => new Id(untyped(input)), input, /it is made of/)
    refuses(() => new Id(untyped({})), undefined, /the project/)
  })
})

describe('IncrementalTaskId', () => {
  it('is a job and an index', () => {
    const task = id.task(3)
    expect(task.encode()).toBe('p:d:n:x-task-3')
    expect(task.index).toBe(3)
    expect(task.jobRunId).toBe(id)
    expect(task).toEqual(new IncrementalTaskId(id, 3))
    expect(IncrementalTaskId.parse('p:d:n:x-task-3')).toEqual(task)
  })

  it('is read from the right', () => {
    const task = IncrementalTaskId.parse('p:d:n:x-task-3-task-task-4')
    expect([task.jobRunId.name, task.index]).toEqual(['x-task-3-task', 4])
    expect(IncrementalTaskId.parse('p:d:n:x-run-1-task-2').jobRunId.name).toBe('x-run-1')
  })

  it.each([
    ['p:d:n:x', /ends in -task-<n>/],
    ['p:d:n:x-task-', /ends in -task-<n>/],
    ['p:d:n:x-task-3a', /ends in -task-<n>/],
    ['p:d:n:x-task-007', /ends in -task-<n>/],
    ['p:d:n:x-task--1', /ends in -task-<n>/],
    ['p:d:n:x-task-1.0', /ends in -task-<n>/],
    ['p:d:n:x-task-9007199254740992', /ends in -task-<n>/],
    ['p:d:n:x-task-3-run-1', /ends in -task-<n>/],
    ['p:d:n:x-Task-3', /ends in -task-<n>/],
    ['p:d:n:-task-3', /the name/],
    ['p:d-task-3', /exactly four parts/],
    ['-task-3', /exactly four parts/],
    ['p:d:n:x:-task-3', /exactly four parts/],
    [':d:n:x-task-3', /the project/],
  ])('does not parse %j', (text, rule) => {
    refuses(() => IncrementalTaskId.parse(text), text, rule)
  })

  it('refuses other things than strings, JobRunIds and numbers', () => {
    for (const input of notStrings) refuses(() => IncrementalTaskId.parse(untyped(input)), input, /a string/)
    for (const input of notDecimals) refuses(() => id.task(untyped(input)), input, /a task index is an integer/)
    for (const input of [...notStrings, 'p:d:n:x']) {
      refuses(() => new IncrementalTaskId(untyped(input), 0), input, /of a JobRunId/)
    }
  })
})

describe('RunId', () => {
  it('is an attempt of a job', () => {
    const run = id.run(1)
    expect(run.encode()).toBe('p:d:n:x-run-1')
    expect([run.attempt, run.taskIndex, run.taskId]).toEqual([1, null, null])
    expect(run.jobRunId).toBe(id)
    expect(run).toEqual(new RunId(id, 1))
    expect(RunId.parse('p:d:n:x-run-1')).toEqual(run)
  })

  it('is an attempt of a task', () => {
    const run = id.task(3).run(2)
    expect(run.encode()).toBe('p:d:n:x-task-3-run-2')
    expect([run.attempt, run.taskIndex]).toEqual([2, 3])
    expect(run.taskId).toEqual(id.task(3))
    expect(run.jobRunId).toBe(id)
    expect(RunId.parse('p:d:n:x-task-3-run-2')).toEqual(run)
  })

  it('may have attempt 0, a skipped run', () => {
    expect(id.run(0).encode()).toBe('p:d:n:x-run-0')
    expect(RunId.parse('p:d:n:x-task-0-run-0').attempt).toBe(0)
  })

  it.each([
    ['p:d:n:x-run-1-run-2', 'x-run-1', null, 2],
    ['p:d:n:x-run-run-2', 'x-run', null, 2],
    ['p:d:n:x-task-1-task-2-run-3', 'x-task-1', 2, 3],
    ['p:d:n:x-run-1-task-2-run-3', 'x-run-1', 2, 3],
    ['p:d:n:x-task-1-run-2-run-3', 'x-task-1-run-2', null, 3],
    ['p:d:n:x-task-007-run-1', 'x-task-007', null, 1],
    ['p:d:n:x-task-9007199254740992-run-1', 'x-task-9007199254740992', null, 1],
    ['p:d:n:x-task--run-1', 'x-task-', null, 1],
  ])('reads %s from the right', (text, name, taskIndex, attempt) => {
    const run = RunId.parse(text)
    expect([run.jobRunId.name, run.taskIndex, run.attempt]).toEqual([name, taskIndex, attempt])
    expect(run.encode()).toBe(text)
  })

  it.each([
    ['p:d:n:x', /ends in -run-<n>/],
    ['p:d:n:x-task-3', /ends in -run-<n>/],
    ['p:d:n:x-run-', /ends in -run-<n>/],
    ['p:d:n:x-run-01', /ends in -run-<n>/],
    ['p:d:n:x-run-9007199254740992', /ends in -run-<n>/],
    ['p:d:n:x-run-1-task-3', /ends in -run-<n>/],
    ['p:d:n:-run-1', /the name/],
    ['p:d:n:-task-3-run-1', /the name/],
    ['p:d-run-1', /exactly four parts/],
    ['p:d:n:x/y-run-1', /the name/],
  ])('does not parse %j', (text, rule) => {
    refuses(() => RunId.parse(text), text, rule)
  })

  it('is refused for a job whose runs would be read as those of a task', () => {
    for (const text of ['p:d:n:x-task-3', 'p:d:n:-task-3', 'p:d:n:x-task-1-task-2']) {
      refuses(() => JobRunId.parse(text).run(1), text, /does not end in -task-<n>/)
      expect(JobRunId.parse(text).task(0).run(1).jobRunId.encode()).toBe(text)
    }
    expect(JobRunId.parse('p:d:n:x-task-03').run(1).encode()).toBe('p:d:n:x-task-03-run-1')
  })

  it('refuses other things than strings, ids and numbers', () => {
    for (const input of notStrings) refuses(() => RunId.parse(untyped(input)), input, /a string/)
    for (const input of notDecimals) {
      refuses(() => id.run(untyped(input)), input, /an attempt is an integer/)
      refuses(() => id.task(0).run(untyped(input)), input, /an attempt is an integer/)
    }
    for (const input of [...notStrings, 'p:d:n:x', SlotId.parse('p:d:n:x')]) {
      refuses(() => new RunId(untyped(input), 0), input, /of a JobRunId or of an IncrementalTaskId/)
    }
  })
})

describe('numbers', () => {
  it('go up to the largest safe integer, and minus zero is zero', () => {
    const max = Number.MAX_SAFE_INTEGER
    expect(RunId.parse(id.task(max).run(max).encode())).toEqual(id.task(max).run(max))
    expect(id.task(-0)).toEqual(id.task(0))
    expect(id.run(-0)).toEqual(id.run(0))
  })
})

describe('kinds', () => {
  it('may share a text, and the one who reads knows the kind', () => {
    expect(JobRunId.parse('p:d:n:x-task-3').name).toBe('x-task-3')
    expect(IncrementalTaskId.parse('p:d:n:x-task-3').jobRunId.name).toBe('x')
    expect(SlotId.parse('p:d:n:x-task-3').name).toBe('x-task-3')
  })

  it('are not mistaken for each other by the compiler', () => {
    // @ts-expect-error A slot is not a job.
    const job: JobRunId = SlotId.parse('p:d:n:x')
    // @ts-expect-error A job is not a slot.
    const slot: SlotId = JobRunId.parse('p:d:n:x')
    expect(job.equals(id)).toBe(false)
    expect(slot.equals(SlotId.parse('p:d:n:x'))).toBe(false)
  })
})
