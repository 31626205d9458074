import { decimalRule, isDecimal, readDecimal } from './decimal.ts'
import { invalid } from './invalid.ts'
import { utf8Length } from './utf8-length.ts'

/**
 * The address of a job or a task: `/reports/daily/render` is a job, `/reports/daily/render/3` is task 3 of it.
 * An immutable value, and the only code that takes names apart or glues them: parents and namespaces are derived
 * here and stored nowhere, so they cannot disagree with the name.
 */
export class JobName {
  /** As it is written. */
  readonly text: string

  private constructor(text: string) {
    this.text = checkText(text)
    if (!simpleName.test(text)) checkComponents(text.slice(1).split('/'), text)
    Object.freeze(this)
  }

  /** From the namespace down to the name; never empty. */
  get components(): readonly string[] {
    return Object.freeze(this.text.slice(1).split('/'))
  }

  static parse(text: string): JobName {
    return new JobName(text)
  }

  static fromWire(text: string): JobName {
    return JobName.parse(text)
  }

  static root(name: string): JobName {
    return new JobName(`/${checkComponent(name, name)}`)
  }

  /** One level down. A task may have children here; that no such job is submitted is a rule of `checkSubmittable`. */
  child(name: string): JobName {
    return new JobName(`${this.text}/${checkComponent(name, name)}`)
  }

  task(index: number): JobName {
    if (!isDecimal(index)) throw invalidName(index, `a task index is ${decimalRule}`)
    return this.child(String(index))
  }

  /** The task's job and its index; throws where the name is not that of a task of some job. */
  requireTask(): { readonly job: JobName; readonly index: number } {
    const { parent: job, taskIndex: index } = this
    if (index === null) throw invalidName(this.text, 'it is not a task: its last component is not a task number')
    if (job === null) throw invalidName(this.text, 'it is a task number at the root, so there is no job above it')
    return { job, index }
  }

  /** Whether `other` lies in the branch under this name. `/a/b` is an ancestor of `/a/b/c`, but not of `/a/bc`. */
  isAncestorOf(other: JobName, { includeSelf = true }: { readonly includeSelf?: boolean } = {}): boolean {
    requireName(other)
    return other.text.startsWith(`${this.text}/`) || (includeSelf && this.equals(other))
  }

  equals(other: JobName | null | undefined): boolean {
    return other instanceof JobName && other.text === this.text
  }

  toString(): string {
    return this.text
  }

  toWire(): string {
    return this.text
  }

  toJSON(): string {
    return this.text
  }

  /** Null for a root. */
  get parent(): JobName | null {
    return this.isRoot ? null : new JobName(this.text.slice(0, this.text.lastIndexOf('/')))
  }

  /** The first component, which everything in one tree shares. */
  get namespace(): string {
    return this.isRoot ? this.name : this.text.slice(1, this.text.indexOf('/', 1))
  }

  /** The last component. */
  get name(): string {
    return this.text.slice(this.text.lastIndexOf('/') + 1)
  }

  /** The number of components: 1 for a root. */
  get depth(): number {
    return this.components.length
  }

  get isRoot(): boolean {
    return this.text.lastIndexOf('/') === 0
  }

  /** Null unless the last component is a task number. */
  get taskIndex(): number | null {
    return readDecimal(this.name)
  }

  get isTask(): boolean {
    return this.taskIndex !== null
  }
}

/** What nearly all names are made of. They satisfy most rules as they are, at no cost. */
const simpleName = /^(?:\/[A-Za-z0-9._~:-]+)+$/

const componentBytesMax = 128
const nameBytesMax = 1000
const levelMax = 16
const namespaceAlphabet = /^[A-Za-z0-9._~-]+$/
const controlCharacter = /\p{Cc}/u

/**
 * What a new job's name must satisfy beyond being a name. Kept apart from the type, so that a name which was stored
 * under other rules, or a task's, can still be read and shown.
 */
export function checkSubmittable(name: JobName): void {
  requireName(name)
  if (isPlainlySubmittable(name.toString())) return
  checkSize(name)
  checkCharacters(name)
  checkPlace(name)
}

/** Short, of few levels, in plain letters, and no component begins like a task number. */
function isPlainlySubmittable(text: string): boolean {
  return text.length <= componentBytesMax && plainlySubmittable.test(text)
}

const plainlySubmittable = /^\/[A-Za-z._~-][A-Za-z0-9._~-]*(?:\/[A-Za-z._~:-][A-Za-z0-9._~:-]*){0,15}$/

function checkSize(name: JobName): void {
  refuseIf(name.depth > levelMax, name, `a job's name has at most ${levelMax} levels`)
  refuseIf(utf8Length(name.toString()) > nameBytesMax, name, `a job's name has at most ${nameBytesMax} bytes of UTF-8`)
  const isLong = name.components.some((component) => utf8Length(component) > componentBytesMax)
  refuseIf(isLong, name, `a component of a job's name has at most ${componentBytesMax} bytes of UTF-8`)
}

/** Lone surrogates have no UTF-8: a store would refuse them, or give back a name that was never submitted. */
function checkCharacters(name: JobName): void {
  const text = name.toString()
  refuseIf(controlCharacter.test(text), name, "a job's name has no control characters")
  refuseIf(!text.isWellFormed(), name, "a job's name has no lone surrogates")
  refuseIf(!namespaceAlphabet.test(name.namespace), name, 'a namespace is made of A-Z a-z 0-9 . _ ~ - only')
}

/** A task number names a slice of a job, so it can be neither a job itself nor the parent of one. */
function checkPlace(name: JobName): void {
  refuseIf(name.isTask, name, "a job's last component is not a task number")
  const isUnderTask = name.components.some((component) => readDecimal(component) !== null)
  refuseIf(isUnderTask, name, 'a task has no child jobs, so no ancestor is a task number')
}

/**
 * The name that a text means to the one who writes it: from the root if it starts with `/`, otherwise under the job
 * that is running. Under a task it is its job that counts, since tasks have no children.
 */
export function resolveName(text: string, base: JobName | null): JobName {
  if (typeof text !== 'string' || text.startsWith('/')) return JobName.parse(text)
  checkComponents(text.split('/'), text)
  if (base === null || base === undefined) {
    throw invalidName(text, 'a name outside a running job starts with "/", as there is nothing that it is relative to')
  }
  requireName(base)
  const job = base.isTask ? base.requireTask().job : base
  return JobName.parse(`${job}/${text}`)
}

const fourDigitYears = { from: Date.UTC(-1, 12), to: Date.UTC(9999, 12) - 1 }

/**
 * The component that names one fire of a schedule: `20261115T090000Z`, with milliseconds where there are any. Years
 * have four digits, so that names sort by time and the parts cannot be mistaken for one another.
 */
export function nominalInstant(epochMs: number): string {
  const isInRange = Number.isInteger(epochMs) && epochMs >= fourDigitYears.from && epochMs <= fourDigitYears.to
  if (!isInRange) throw invalidName(epochMs, 'a nominal instant is whole milliseconds in the years 0000 to 9999')
  return new Date(epochMs).toISOString().replaceAll(/[-:]|\.000/g, '')
}

function checkText(text: unknown): string {
  if (typeof text !== 'string') throw invalidName(text, 'a name is a string')
  if (!text.startsWith('/')) throw invalidName(text, 'a name starts with "/"')
  return text
}

/** `input` is what the caller wrote, which the error must name, where the component is only a piece of it. */
function checkComponent(component: unknown, input: unknown): string {
  if (typeof component !== 'string') throw invalidName(input, 'a component of a name is a string')
  if (component.includes('/')) throw invalidName(input, 'a component of a name contains no "/"')
  if (component.trim() === '') throw invalidName(input, 'no component of a name is empty or blank')
  return component
}

function checkComponents(components: string[], input: string): string[] {
  for (const component of components) checkComponent(component, input)
  return components
}

function requireName(value: unknown): void {
  if (!(value instanceof JobName)) throw invalidName(value, 'a JobName is needed here, which JobName.parse makes')
}

function refuseIf(isBroken: boolean, name: JobName, rule: string): void {
  if (isBroken) throw invalidName(name.toString(), rule)
}

function invalidName(input: unknown, rule: string) {
  return invalid('invalid_name', 'job name', input, rule)
}
