/** A call from the parent, and its answer. */
export interface Call {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
}
export type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string }

/** What a process can be told to do, by name. */
export type Commands = Readonly<Record<string, (...args: never[]) => unknown>>

/** Does what the parent calls for, and says that it is ready to. */
export function serve(commands: Commands): void {
  // A parent that is gone has nothing more to ask.
  process.on('disconnect', () => process.exit(1))
  process.on('message', async ({ id, name, args }: Call) => {
    try {
      const value = await commands[name]?.(...(args as never[]))
      process.send?.({ id, value } satisfies Answer)
    } catch (error) {
      process.send?.({
        id,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      } satisfies Answer)
    }
  })
  process.send?.({ id: 0 } satisfies Answer)
}
