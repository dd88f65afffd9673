/** Lists as files for spreadsheets. */

type Value = string | number | null | undefined

/** Quoted where it must be, and inert where a spreadsheet would take it for a formula. */
function cell(value: Value): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

/** A line a row, under the names of the columns. */
export function csvOf<Row>(columns: Record<string, (row: Row) => Value>, rows: readonly Row[]): Blob {
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((of) => cell(of(row))))]
  return new Blob(lines.map((line) => `${line.join(',')}\r\n`), { type: 'text/csv;charset=utf-8' })
}
