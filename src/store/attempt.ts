/** An attempt, by the row key of its job. */
export interface Attempt {
  readonly pk: number
  readonly attempt: number
}
