/** Runs shell scripts as a worker would, all at the same time, and one more at SIGUSR2. It has nothing else to do. */
import { reaperPid } from '../../../src/engine/command/reaper-link.ts'
import { runCommand } from '../../../src/engine/command/run-command.ts'

async function run(script: string): Promise<void> {
  await runCommand({
    program: 'sh',
    args: ['-c', script],
    signal: new AbortController().signal,
    killGraceMs: 1_000,
    artifactsDirectory: '/nowhere',
    onOutput: ({ text }) => console.log(text),
  })
  console.log(`reaper ${reaperPid()}`)
}

process.on('SIGUSR2', () => void run('exit 0'))
await Promise.all(process.argv.slice(2).map(run))
