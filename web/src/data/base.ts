/** Where the dashboard stands: its own script is in `assets/` below it, whatever the prefix is. Ends with a slash. */
export const base: string = import.meta.env.DEV ? '/' : new URL(/* @vite-ignore */ '..', import.meta.url).pathname

/** Where the API is. */
export const apiUrl: string = new URL(base, location.origin).href.replace(/\/$/, '')
