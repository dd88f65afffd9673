/** Lists as files for spreadsheets. */

/** By which a spreadsheet that is opened by a double click knows that the file is in UTF-8. */
const MARK = '\ufeff'

/** A file of the server, for a spreadsheet. */
export const forSpreadsheet = (file: Blob) => new Blob([MARK, file], { type: 'text/csv;charset=utf-8' })

type Value = string | number | null | undefined

/** Quoted where it must be, and inert where a spreadsheet would take it for a formula. */
function cell(value: Value): string {
  if (typeof value === 'number') return String(value)
  const text = value ?? ''
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

/** What stands in each column, by its name. */
export type Columns<Row> = Record<string, (row: Row) => Value>

/** A line a row, under the names of the columns. */
export function csvOf<Row>(columns: Columns<Row>, rows: readonly Row[]): Blob {
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((of) => cell(of(row))))]
  return forSpreadsheet(new Blob(lines.map((line) => `${line.join(',')}\r\n`)))
}
