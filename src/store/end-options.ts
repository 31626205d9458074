/** How jobs that nobody wants any more are ended: cancelled, or, if they have not started, with a run that says skipped. */
export interface EndOptions {
  readonly how: 'cancel' | 'skip'
  readonly reason: string
  readonly actor: string | null
}
