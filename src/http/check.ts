import type { z } from 'zod'
import { StintError, show } from '../core/errors.ts'
import { firstWrong } from './check-large.ts'

/** A value as its schema gives it. The error names the first field that is wrong, and its rule. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, within = ''): z.output<Schema> {
  const wrong = firstWrong(schema, value)
  if (wrong?.schema === null) throw invalid(fieldOf(wrong.path, within), wrong.rule ?? unknownRule)
  const { path = [], ...found } = wrong ?? { schema, value }
  const result = (found.schema as Schema).safeParse(found.value)
  if (result.success) return result.data
  const issue = result.error.issues[0] as z.core.$ZodIssue
  throw refusal({ ...issue, path: [...path, ...issue.path] }, within)
}

const unknownRule = 'is not a field that is known here'

function refusal(issue: z.core.$ZodIssue, within: string): StintError {
  if (issue.code === 'unrecognized_keys') {
    const field = fieldOf([...issue.path, issue.keys[0] ?? ''], within)
    return invalid(field, unknownRule)
  }
  return invalid(fieldOf(issue.path, within), ruleOf(issue))
}

function invalid(field: string, rule: string): StintError {
  return new StintError('invalid_argument', `${field} ${rule}.`, { field, rule })
}

/** A place as errors name it: `to.before`, `jobs[2].name`. */
export function fieldOf(path: readonly PropertyKey[], within = ''): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${shown(String(part))}`)).join('')
  return within === '' ? text.replace(/^\./, '') || 'body' : `${within}${text}`
}

/** Names of fields come from outside, too: what is sent back is bounded and can be read. */
function shown(name: string): string {
  const isPlain = name.length <= nameMax && name.isWellFormed() && !/\p{Cc}/u.test(name)
  return isPlain ? name : show(name)
}

const nameMax = 60

/** In the words of our own errors where we have some. */
function ruleOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return typeRule(issue.expected)
  if (issue.code === 'invalid_format') return formatRule(issue)
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}${unitOf(issue.origin)}`
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
  if (issue.code === 'invalid_union') return unionRule(issue)
  return issue.code === 'custom' ? issue.message : `breaks a rule: ${issue.message}`
}

function typeRule(expected: string): string {
  if (expected === 'nonoptional') return 'must be given'
  if (expected === 'undefined') return 'must be absent'
  return `must be ${expected === 'int' ? 'a whole number' : expected}`
}

/** Patterns of our own say in words what they want. */
function formatRule({ format, message }: z.core.$ZodIssueInvalidStringFormat): string {
  if (format === 'datetime') return 'must be an instant in ISO 8601 with a zone'
  return format === 'regex' ? message : `breaks a rule: ${message}`
}

function unionRule(issue: z.core.$ZodIssueInvalidUnion): string {
  const rules = issue.errors.flatMap((issues) => issues.slice(0, 1)).map(ruleWithin)
  return rules.length === 0 ? 'is none of what is allowed' : [...new Set(rules)].join(', or ')
}

/** What is wrong with one of several ways to say it, and where within it. */
function ruleWithin(issue: z.core.$ZodIssue): string {
  return issue.path.length === 0 ? ruleOf(issue) : `${fieldOf(issue.path, '')} ${ruleOf(issue)}`
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long'
  return origin === 'array' ? ' items long' : ''
}
