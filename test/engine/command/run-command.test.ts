import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyDirectory, node, Running, sh } from './running.ts'

describe('the end of a program', () => {
  test.for([0, 1, 3, 255])('exit code %i', async (code) => {
    expect(await sh(`exit ${code}`).end).toMatchObject({ exitCode: code, killedBy: null })
  })

  test('a signal that nobody here sent', async () => {
    expect(await sh('kill -SEGV $$').end).toMatchObject({ exitCode: null, killedBy: 'SIGSEGV' })
  })

  test('the tail of stderr is the last 2 KiB, from a whole character on', async () => {
    const { end } = node(`process.stderr.write('head' + 'é'.repeat(3000) + 'x'); process.exitCode = 1`)
    expect(await end).toMatchObject({ exitCode: 1, stderrTail: `${'é'.repeat(1023)}x` })
  })

  test('many at once do not mix', async () => {
    const commands = Array.from({ length: 10 }, (_, i) => sh(`echo ${i}; exit ${i}`))
    const ends = await Promise.all(commands.map(({ end }) => end))
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(commands.map((command) => command.texts())).toEqual(ends.map((_, i) => [`${i}`]))
  })
})

describe('what a program is given', () => {
  const showArgs = 'for (const arg of process.argv.slice(1)) console.log(JSON.stringify(arg))'

  test('arguments reach it unchanged, because no shell sees them', async () => {
    const args = ['two words', '', `'"`, '$(id)', '`id`', '$HOME', '*', '; exit 9', 'a\nb', '\\', 'ü😀', '-x', '%PATH%']
    const command = new Running(process.execPath, ['-e', showArgs, '--', ...args])
    expect((await command.end).exitCode).toBe(0)
    expect(command.texts().map((line) => JSON.parse(line))).toEqual(args)
  })

  test('of the environment of the worker only what is harmless', async () => {
    process.env['DATABASE_URL'] = 'postgres://secret'
    process.env['STINT_TOKEN'] = 'secret'
    const artifactsDirectory = emptyDirectory()
    const command = new Running('env', [], { env: { STINT_JOB_ID: 'x', TZ: 'Asia/Tokyo' }, artifactsDirectory })
    await command.end
    const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'USER'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [`${name}=${value}`]
    })
    const added = ['STINT_JOB_ID=x', 'TZ=Asia/Tokyo', `STINT_ARTIFACTS=${artifactsDirectory}`]
    expect(command.texts().sort()).toEqual([...inherited, ...added].sort())
  })

  test('its directory', async () => {
    const command = sh('pwd -P', { cwd: '/' })
    await command.end
    expect(command.texts()).toEqual(['/'])
  })

  test('its input, whole and ended', async () => {
    const stdin = 'line ü\n'.repeat(100_000)
    const command = node(`let n = 0; process.stdin.on('data', (d) => n += d.length).on('end', () => console.log(n))`, {
      stdin,
    })
    await command.end
    expect(command.texts()).toEqual([`${Buffer.byteLength(stdin)}`])
  })

  test('no input means an empty one', async () => {
    const command = new Running('cat', [])
    expect((await command.end).exitCode).toBe(0)
    expect(command.lines).toEqual([])
  })

  test('a program need not read its input', async () => {
    expect((await sh('exit 7', { stdin: 'x'.repeat(4_000_000) }).end).exitCode).toBe(7)
  })
})

describe('a program that cannot be started', () => {
  const plainFile = () => {
    const path = join(emptyDirectory(), 'plain')
    writeFileSync(path, 'x')
    chmodSync(path, 0o644)
    return path
  }

  test('does not exist', async () => {
    await expect(new Running('no-such-program', []).end).rejects.toMatchObject({
      code: 'command_not_started',
      message: '"no-such-program" could not be started (ENOENT).',
      details: { program: 'no-such-program', errno: 'ENOENT' },
    })
  })

  test('is not executable', async () => {
    const program = plainFile()
    await expect(new Running(program, []).end).rejects.toMatchObject({
      code: 'command_not_started',
      details: { program, errno: 'EACCES' },
    })
  })

  test.for([
    ['missing', () => join(emptyDirectory(), 'missing')],
    ['a file', plainFile],
  ] as const)('has no directory to work in: it is %s', async ([, place]) => {
    const cwd = place()
    await expect(sh('exit 0', { cwd }).end).rejects.toMatchObject({
      code: 'command_not_started',
      message: expect.stringContaining('is not a directory to work in'),
      details: { program: 'sh', cwd },
    })
  })

  test('has more arguments than the system takes', async () => {
    await expect(new Running('true', ['x'.repeat(5_000_000)]).end).rejects.toMatchObject({
      code: 'command_not_started',
      details: { program: 'true', errno: 'E2BIG' },
    })
  })
})

test.for([
  ['program', new Running('a\0b', [])],
  ['program', new Running('', [])],
  ['args[1]', new Running('true', ['a', 'b\0c'])],
  ['cwd', new Running('true', [], { cwd: '/\0' })],
  ['env["A"]', new Running('true', [], { env: { A: 'secret\0' } })],
  ['env["A\\u0000"]', new Running('true', [], { env: { 'A\0': '' } })],
  ['env["A=B"]', new Running('true', [], { env: { 'A=B': '' } })],
  ['killGraceMs', new Running('true', [], { killGraceMs: Number.NaN })],
] as const)('%s is refused by name when no system could take it', async ([field, { end }]) => {
  const refusal = await end.catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'invalid_argument', details: { field } })
  expect(String(refusal)).not.toContain('secret')
})
