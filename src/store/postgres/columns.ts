export type Column<Row> = keyof Row & string

/**
 * Rows turned into one array for each column, named for the parameters of a statement: arrays are the cheapest way to
 * give PostgreSQL many rows at once.
 */
export function columns<Row extends object, Name extends Column<Row>>(
  prefix: string,
  names: readonly Name[],
  rows: readonly Row[],
): Record<string, readonly Row[Name][]> {
  return Object.fromEntries(names.map((name) => [`${prefix}${name}`, rows.map((row) => row[name])]))
}
