import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exitCodes } from '../../src/cli/exit.ts'
import {
  type Commands,
  type Ran,
  type Running,
  start,
  startCommands,
  startInTerminal,
  stint,
  writeFiles,
} from '../support/cli.ts'
import { until } from '../support/stint.ts'

const handlers = `
  import { existsSync } from 'node:fs'
  import { defineJob, defineShardedJob, type JobContext, TerminalError } from 'stint'
  type Any = JobContext<any>
  const gate = async (name: string) => { while (!existsSync(name)) await new Promise((resolve) => setTimeout(resolve, 20)) }
  export const echo = defineJob('echo', { run: (ctx: Any) => ctx.params })
  export const loud = defineJob('loud', { run: (ctx: Any) => { ctx.log('one'); ctx.log('\\u001b[31mtwo\\u001b[0m \\u001b[2Jthree') } })
  export const wrong = defineJob('wrong', { run: () => { throw new TerminalError('no such \\u001b[2Jcustomer') } })
  export const later = defineJob('later', { run: (ctx: Any) => ctx.later() })
  export const half = defineJob('half', {
    run: async (ctx: Any) => { ctx.progress(5, 10); ctx.log('half'); await gate(ctx.params.gate); ctx.progress(10, 10); return 'all' },
  })
  export const parts = defineShardedJob('parts', {
    plan: () => [0, 1, 2, 3].map((part) => ({ part, done: 0 })),
    slice: async ({ state, ctx }) => {
      if (state.done === 1 && state.part > 1) await gate((ctx.params as any)?.gate ?? 'go-parts')
      return { state: { ...state, done: state.done + 1 }, done: state.done >= 1, progress: [state.done + 1, 2] }
    },
  })`

let cwd: string
let dev: Running
let commands: Commands

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'stint-cli-'))
  writeFiles(cwd, { 'package.json': '{ "type": "module" }', 'jobs/all.ts': handlers })
  dev = start(['dev', '--port', '0', '--commands'], { cwd }, () => {})
  commands = startCommands()
  await dev.says(/Ctrl-C stops/)
})

afterAll(async () => {
  await commands.end()
  dev.child.kill('SIGKILL')
  await dev.ended
  rmSync(cwd, { recursive: true, force: true })
})

const run = (...args: string[]): Promise<Ran> => commands.run(args, { cwd })
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out)
const { fine, failed, usage, notFound, conflict, timeout, unreachable } = Object.fromEntries(
  Object.entries(exitCodes).map(([name, { code }]) => [name, code]),
)

describe('retry', () => {
  it('runs the tasks that are named once more, and says what cannot be', async () => {
    const whole = await json('submit', 'parts', '-p', 'gate=package.json', '--name', '/tasks/all', '--wait')
    expect(whole.outcome).toBe('COMPLETED')
    expect(await run('retry', '/tasks/all', '--shards')).toMatchObject({ code: conflict })
    expect(await run('retry', '/tasks/**', '--tasks', '1')).toMatchObject({ code: usage })
    expect(await run('retry', '/tasks/all', '--tasks', '1,2-x')).toMatchObject({ code: usage })
    expect((await run('retry', '/tasks/all', '--tasks', '2-4')).err).toContain('indexes[2] must be a whole number')
    const [again] = await json('retry', '/tasks/all', '--tasks', '0,2-3', '--wait')
    expect([again.retryOf, again.outcome]).toEqual([whole.id, 'COMPLETED'])
    // Both jobs, four tasks of the first and three of the second.
    expect(await json('list', '/tasks', '--tasks')).toHaveLength(2 + 4 + 3)
  })
})

describe('submit', () => {
  it('waits and prints the result, and only that, on stdout', async () => {
    const ran = await run('submit', 'echo', '{"a":1}', '-p', 'b=[2]', '-p', 'c=text', '-w')
    expect(ran).toMatchObject({ code: fine, out: '{"a":1,"b":[2],"c":"text"}\n' })
    expect(ran.err).toMatch(/✔ COMPLETED \/default\/echo-\w+ in \d+ ms/)
    const piped = await stint(['submit', 'echo', '-', '--wait', '-o', 'jsonl'], { cwd, input: '"as it is"' })
    expect(JSON.parse(piped.out)).toMatchObject({ type: 'echo', outcome: 'COMPLETED', result: 'as it is' })
  })

  it('exits with what became of the job', async () => {
    const wrong = await run('submit', 'wrong', '--wait')
    expect(wrong.code).toBe(failed)
    // What a job says cannot do anything to the terminal of whoever reads it.
    expect(wrong.err).toContain('no such \\x1b[2Jcustomer')
    const slow = await run('submit', 'later', '--wait', '--timeout', '50ms')
    expect(slow).toMatchObject({ code: timeout, err: expect.stringContaining('The job goes on.') })
  })

  it('says what is wrong and what to do', async () => {
    await run('submit', 'later', '-n', '/taken/job')
    const taken = await run('submit', 'echo', '-n', '/taken/job')
    expect(taken).toMatchObject({
      code: conflict,
      out: '',
      err: expect.stringMatching(/name_taken[\s\S]*--on-conflict keep/),
    })
    expect(await run('submit', 'echo', '-n', '/taken/job', '--on-conflict', 'keep', '-o', 'name')).toMatchObject({
      out: '/taken/job\n',
    })
    const bad = await run('submit', 'echo', '{who:1}')
    expect(bad).toMatchObject({ code: usage, err: expect.stringMatching(/must be JSON[\s\S]*Quote it/) })
    expect((await run('submit')).err).toContain('Say its type, or --template')
    const nobody = await stint(['list', '--url', 'http://127.0.0.1:65533'], { cwd })
    expect(nobody).toMatchObject({ code: unreachable, err: expect.stringMatching(/ECONNREFUSED[\s\S]*stint dev/) })
  })

  it('makes children inside a command job, below its name, that end with its attempt', async () => {
    const bin = join(import.meta.dirname, '../../bin/stint.js')
    const script = `'${process.execPath}' '${bin}' submit later --name child -o name && exit 3`
    const params = { command: 'sh', args: ['-c', script], cwd }
    const parent = await run(
      'submit',
      'command',
      JSON.stringify(params),
      '-n',
      '/tree/parent',
      '--max-attempts',
      '1',
      '--wait',
    )
    expect(parent.code).toBe(failed)
    expect((await run('logs', '/tree/parent')).out).toBe('/tree/parent/child\n')
    const child = await until(
      () => json('show', '/tree/parent/child'),
      ({ status }) => status === 'CANCELLED',
    )
    expect(child.submittedBy).toMatch(/-run-1$/)
  })
})

describe('reading', () => {
  it('lists by state, branch, label and age, in every format', async () => {
    await run('submit', 'echo', '-n', '/lists/a', '-l', 'team=blue', '-w')
    await run('submit', 'wrong', '-n', '/lists/b', '-w')
    const [all, bad, blue, old] = await Promise.all([
      run('list', '/lists'),
      run('list', '/lists', '-s', 'failed', '-o', 'name'),
      json('list', '-l', 'team=blue'),
      run('list', '/lists', '--since', '1ms'),
    ])
    expect(all.out).toMatch(
      /^STATUS +NAME +TYPE .*\n✖ FAILED +\/lists\/b +wrong .*\\x1b\[2Jcustomer\n✔ COMPLETED +\/lists\/a +echo/,
    )
    expect(bad.out).toBe('/lists/b\n')
    expect(blue.map(({ name }: { name: string }) => name)).toEqual(['/lists/a'])
    expect(old).toMatchObject({ out: '', err: 'No jobs.\n', code: fine })
    const none = await run('show', '/lists/none')
    expect(none).toMatchObject({ code: notFound, err: expect.stringContaining('stint list') })
    expect((await run('tree', '/lists')).out).toMatch(/^\/lists\n├─ a +✔ COMPLETED\n└─ b +✖ FAILED\n$/)
    // As a shell writes directories, and as completion does.
    for (const typed of ['/lists/', '/lists/**'])
      expect((await run('list', typed, '-o', 'name')).out).toBe('/lists/b\n/lists/a\n')
    expect((await run('tree', '/', '--depth', '1')).out).toContain('─ lists')
    expect(await run('tree', '/lists/b')).toMatchObject({ out: '/lists/b  ✖ FAILED\n', err: '' })
  })

  it('follows a log across attempts until the job is over', async () => {
    const job = ['submit', 'half', '{"gate":"go-log"}', '-n', '/logs/job']
    await run(...job)
    const following = start(['logs', '/logs/job', '--follow'], { cwd })
    await following.says(/half/)
    writeFiles(cwd, { 'go-log': '' })
    expect(await following.ended).toBe(0)
    expect(following.text()).toBe('half\n')
    await run('submit', 'loud', '-n', '/logs/loud', '-w')
    // Colours are for terminals; what else a program could do to one is for nobody.
    expect((await run('logs', '/logs/loud')).out).toBe('one\ntwo \\x1b[2Jthree\n')
    expect(await json('logs', '/logs/loud')).toMatchObject([{ line: 'one' }, { attempt: 1 }])
    await run('submit', 'echo', '-n', '/logs/quiet', '-w')
    expect(await run('logs', '/logs/quiet')).toMatchObject({ out: '', err: 'It logged nothing.\n' })
  })

  it('prints the log of events, and follows it', async () => {
    const following = start(['events', '-f', '--type', 'job.run.*', '--path', '/events', '-o', 'jsonl'], { cwd })
    await until(
      async () => {
        await run('submit', 'echo', '-n', '/events/job', '-w')
        return following.text()
      },
      (text) => text.includes('job.run.completed'),
    )
    following.child.kill('SIGINT')
    expect(await following.ended).toBe(exitCodes.interrupted.code)
    const types = (await run('events', '/events/job', '--type', 'job.*')).out.match(/job\.[a-z.]+(?= )/g)
    expect(types?.slice(0, 3)).toEqual(['job.created', 'job.run.started', 'job.run.completed'])
  })

  it('shows the end of the log with the names of jobs, without reading what came before', async () => {
    for (const name of ['first', 'last']) await run('submit', 'echo', '-n', `/newest/${name}`, '-w')
    const last = await run('events', '--limit', '2', '--type', 'job.run.*')
    expect(last.out).toMatch(/ job\.run\.started +\/newest\/last .*\n.* job\.run\.completed +\/newest\/last .*\n$/)
    // One list, as that of every other command.
    expect(await json('events', '--limit', '1')).toMatchObject([{ eventType: 'job.run.completed' }])
    expect(await run('events', '/newest/nobody')).toMatchObject({ code: notFound })
    expect(await run('events', '--path', '/newest')).toMatchObject({ code: usage })
  })
})

describe('changing', () => {
  it('cancels, retries, answers, and does so to whole branches', async () => {
    for (const name of ['a', 'b']) await run('submit', 'later', '-n', `/change/${name}`)
    await run('submit', 'later', '-n', '/change/a/below')
    expect((await run('cancel', '/change/a', '--reason', 'why not')).out).toContain('■ CANCELLED  /change/a')
    expect((await run('events', '/change/a')).out).toContain('why not')
    expect((await json('show', '/change/a/below')).status).toBe('CANCELLED')
    expect((await run('cancel', '/change/**')).err).toBe('1 job cancelled.\n')
    expect((await run('cancel', '/**')).code).toBe(usage)
    await run('retry', '/change/a')
    expect(
      (
        await until(
          () => json('show', '/change/a'),
          ({ state }) => state === 'running',
        )
      ).retryOf,
    ).toMatch(/:/)
    expect((await run('complete', '/change/a', '{"x":1}')).out).toContain('✔ COMPLETED')
    expect(await run('retry', '/change/b', '--wait', '--timeout', '1ms')).toMatchObject({ code: timeout })
    await run('submit', 'wrong', '-n', '/change/wrong', '-w')
    expect((await run('retry', '/change/**')).err).toContain('1 job submitted again.')
  })

  it('pauses and limits', async () => {
    await run('pause', '/halt', '--reason', 'repairs')
    expect((await run('submit', 'echo', '-n', '/halt/job', '--wait', '--timeout', '1ms')).code).toBe(timeout)
    expect((await json('show', '/halt/job')).reason).toContain('paused at /halt: repairs')
    expect((await run('pauses')).out).toContain('/halt')
    await run('resume', '/halt')
    expect((await run('watch', '/halt/job')).out).toContain('/halt/job COMPLETED')
    await run('limit', 'set', 'customer:42', '-c', '2', '-r', '5/s')
    expect((await run('limit', 'list')).out).toContain('customer:42')
    expect((await run('limit', 'remove', 'customer:42')).code).toBe(fine)
  })
})

describe('records', () => {
  it('makes jobs by template and by schedule, and shows when', async () => {
    await run('template', 'create', '/t/echo', 'echo', '-p', 'from=template')
    expect((await run('submit', '-t', '/t/echo', '-p', 'more=1', '-w')).out).toBe('{"from":"template","more":1}\n')
    await run('schedule', 'create', '/s/hourly', '--every', '1h', '-t', '/t/echo', '--disabled')
    expect((await run('schedule', 'list')).out).toMatch(/CREATED +\/s\/hourly +Every hour/)
    expect((await run('schedule', 'preview', '/s/hourly', '-n', '2', '-o', 'name')).out.split('\n')).toHaveLength(3)
    const dry = await run('schedule', 'backfill', '/s/hourly', '--from', '3h', '--dry-run')
    expect(dry).toMatchObject({ code: fine, err: 'It would make 3 jobs. Nothing was done.\n' })
    const made = await json('schedule', 'trigger', '/s/hourly')
    expect(await run('watch', made.jobId)).toMatchObject({ code: fine })
    const fires = await run('schedule', 'preview', '--cron', '30 2 * * *', '--zone', 'America/New_York', '-o', 'name')
    expect(fires.out).toMatch(/^(\d{4}-\d\d-\d\dT0[67]:30:00.000Z\n){10}$/)
    const table = await run('schedule', 'preview', '--cron', '30 2 * * *', '--zone', 'America/New_York')
    expect(table.err).toBe('At 02:30 every day, America/New_York time\n')
    expect(table.out).toMatch(/^AMERICA\/NEW_YORK.*\n\w{3} \d{4}-\d\d-\d\d 02:30:00 .*T0[67]:30:00Z/)
    expect((await run('schedule', 'create', '/s/none', '--every', '1h')).err).toContain('either --type or --template')
    expect((await run('template', 'archive', '/t/echo')).out).toContain('ARCHIVED')
    expect((await run('template', 'show', '/t/echo')).out).toContain('ARCHIVED')
  })

  it('runs groups and fills slots', async () => {
    await run('group', 'create', '/g/one', '--mode', 'sequential')
    for (const name of ['a', 'b']) await run('submit', 'echo', '-n', `/g/${name}`, '-g', '/g/one')
    expect(await run('group', 'reorder', '/g/one', '/g/b', '/g/a')).toMatchObject({ code: fine })
    expect((await run('group', 'seal', '/g/one', '--wait')).out).toContain('✔ COMPLETED')
    expect((await run('group', 'members', '/g/one', '-o', 'name')).out).toBe('/g/b\n/g/a\n')
    await run('slot', 'create', '/slots/ok', '--label', 'may we?')
    await run('submit', 'echo', '-n', '/slots/job', '--after', '/slots/ok')
    expect((await run('slot', 'list')).out).toMatch(/OPEN +\/slots\/ok +may we\?/)
    await run('slot', 'fill', '/slots/ok', 'true')
    expect((await run('slot', 'fill', '/slots/ok', 'false')).code).toBe(conflict)
    expect((await run('watch', '/slots/job')).code).toBe(fine)
  })

  it('completes words, names and types', async () => {
    const complete = async (...words: string[]) => (await run('__complete', '--', ...words)).out.trim().split('\n')
    expect(await complete('sch')).toEqual(['schedule'])
    expect(await complete('schedule', 'pre')).toEqual(['preview'])
    expect(await complete('submit', 'ec')).toEqual(['echo'])
    expect(await complete('show', '/lists/')).toEqual(['/lists/a', '/lists/b'])
    expect(await complete('list', '--status', 'c')).toEqual(['cancelled', 'completed'])
    expect(await complete('list', '--si')).toEqual(['--since'])
  })
})

describe('on a screen', () => {
  it('watch draws bars for jobs and shards over each other, and leaves them when all is over', async () => {
    await run('submit', 'half', '{"gate":"go-watch"}', '-n', '/bars/half')
    await run('submit', 'parts', '{"gate":"go-watch"}', '-n', '/bars/parts')
    const watching = startInTerminal(['watch', '/bars/half', '/bars/parts'], { cwd }, 90)
    const shown = () => watching.screen().join('\n')
    await until(shown, (text) => /50 %[\s\S]*2 of 4 tasks done, 2 open/.test(text))
    expect(watching.screen()[0]).toMatch(/^● \/bars\/half +█{10}░{10} +50 % {2}[\d.]+ m?s$/)
    expect(watching.screen().filter((line) => /^ {2}● \/bars\/parts\/[23] +█{10}░{10} +50 %/.test(line))).toHaveLength(
      2,
    )
    writeFiles(cwd, { 'go-watch': '' })
    expect(await watching.ended).toBe(0)
    expect(watching.screen().filter((line) => line !== '')).toEqual([
      expect.stringMatching(/^✔ \/bars\/half +█{20} 100 %/),
      expect.stringMatching(/^✔ \/bars\/parts +█{20} 100 % .*4 of 4 tasks done/),
    ])
  })

  it('submit --wait shows progress, takes it away, and on Ctrl-C says that the job goes on', async () => {
    const waiting = startInTerminal(['submit', 'half', '{"gate":"go-wait"}', '-n', '/bars/wait', '--wait'], { cwd })
    await waiting.says(/50 %/)
    waiting.type('\u0003')
    expect(await waiting.ended).toBe(exitCodes.interrupted.code)
    expect(waiting.screen().filter((line) => line !== '')).toEqual([
      'submitted /bars/wait',
      '✖ Interrupted. The job goes on.',
      '  Follow it with: stint watch /bars/wait',
    ])
    writeFiles(cwd, { 'go-wait': '' })
    expect((await run('watch', '/bars/wait')).code).toBe(fine)
  })

  it('tables are no wider than the screen, and have no colours where nobody wants them', async () => {
    const long = `/wide/${'x'.repeat(100)}`
    await run('submit', 'echo', '-n', long, '-w')
    const narrow = startInTerminal(['list', '/wide'], { cwd }, 60)
    await narrow.ended
    expect(Math.max(...narrow.screen().map((line) => line.length))).toBeLessThanOrEqual(60)
    expect(narrow.text()).toContain('\u001b[')
    const plain = startInTerminal(['list', '/wide'], { cwd, env: { NO_COLOR: '1' } }, 60)
    await plain.ended
    expect(plain.text()).not.toContain('\u001b[')
    expect(plain.screen()[1]).toMatch(/^✔ COMPLETED {2}\/wide\/x+… +echo +1/)
  })
})
