/** The name of what must always be so, and how it was not. */
export class BrokenInvariant extends Error {
  override readonly name = 'BrokenInvariant'
  readonly invariant: string

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`)
    this.invariant = invariant
  }
}
