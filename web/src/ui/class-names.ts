/** Class names that hold, with a space between them. */
export function cx(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}

/** Left out of windows that are narrower. */
export const hidden = { md: 'max-md:hidden', lg: 'max-lg:hidden', xl: 'max-xl:hidden' } as const
