import { type JsonObject, toJsonText } from '../core/json.ts'

/** The interface of standardschema.dev, version 1, as far as it is used: any library that follows it can check params. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Standard JSON Schema, which some libraries give, too. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
      | undefined
  }
}

/** The JSON Schema of what a schema takes; null where its library cannot give it. */
export function jsonSchemaOf(schema: StandardSchema | null): JsonObject | null {
  try {
    const given = schema?.['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
    return given === undefined ? null : JSON.parse(toJsonText(given, 'schema') ?? 'null')
  } catch {
    // It says so by throwing: not everything that a library checks can be said in JSON Schema.
    return null
  }
}

type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type InputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input']
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output']

/** What the value is after the check, or what is wrong with it, in words that name the place. */
export async function validate(
  schema: StandardSchema,
  value: unknown,
): Promise<{ readonly value: unknown } | { readonly problems: string }> {
  const checked = await schema['~standard'].validate(value)
  if (checked.issues === undefined) return { value: checked.value }
  return { problems: checked.issues.map(sentence).join('; ') }
}

function sentence({ message, path = [] }: Issue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return `params${place === '' ? '' : `.${place}`}: ${message}`
}
