/** SQLite answers at once, PostgreSQL later. What is written above this line awaits both. */
export type Awaitable<T> = T | Promise<T>
