/**
 * A program of its own, one for each worker process: it ends the groups of programs whose worker died without a word.
 *
 * The worker says `+<group>` and `-<group>` over stdin, one on each line. The system closes that pipe whatever the
 * worker dies of, kill -9 included, and every group still listed then is killed.
 *
 * The number of a group cannot be given to others while a member lives, and the worker takes it off the list when the
 * last member is gone. What is left is a group that ends in the same moment as the worker: another process would have to
 * get its number within the milliseconds until the pipe is read to its end. Systems give numbers in a circle, so that
 * takes as many new processes as there are numbers.
 */
import { signalGroup } from './process-group.ts'

const groups = new Set<number>()
let rest = ''

// Whoever stops the worker may signal everything that belongs to it; we are needed until the worker is gone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.stdin.setEncoding('latin1')
process.stdin.on('data', (text: string) => {
  const lines = (rest + text).split('\n')
  // A line without its end is not obeyed: half of a number is the number of somebody else.
  rest = lines.pop() ?? ''
  for (const line of lines) obey(line)
})
process.stdin.once('error', killAll)
process.stdin.once('close', killAll)

function obey(line: string): void {
  const [, sign, number] = /^([+-])([1-9]\d*)$/.exec(line) ?? []
  if (sign === '+') groups.add(Number(number))
  if (sign === '-') groups.delete(Number(number))
}

function killAll(): void {
  for (const group of groups) signalGroup(group, 'SIGKILL')
  process.exit(0)
}
