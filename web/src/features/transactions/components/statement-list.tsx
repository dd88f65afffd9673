import { isoDay } from '@/lib/dates'
import { useDownloadDocument, type Download } from '../api/download-document'

/** Months that are listed; any other period has its own form. */
const MONTHS = 12

const monthName = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'long', timeZone: 'UTC' })

type Period = { name: string; file: (format: 'pdf' | 'csv') => Download }

/** The current month, the ones before it, and the reports of two years; all in UTC [D-M9] [R6]. */
function periods(now: Date): Period[] {
  const year = now.getUTCFullYear()
  const years = [year, year - 1].map((year) => ({
    name: `Year ${year}`,
    file: (format: string) => ({ path: `/statements/${year}?format=${format}`, name: `solvane-year-${year}.${format}` }),
  }))
  const months = Array.from({ length: MONTHS }, (_, index) => {
    const [from, to] = [new Date(Date.UTC(year, now.getUTCMonth() - index, 1)), new Date(Date.UTC(year, now.getUTCMonth() - index + 1, 0))]
    const [first, last] = [isoDay(from), isoDay(to < now ? to : now)]
    return {
      name: monthName.format(from),
      file: (format: string) => ({
        path: `/transactions/statement?from=${first}&to=${last}&format=${format}`,
        name: `solvane-statement-${first}-${last}.${format}`,
      }),
    }
  })
  return [...years, ...months]
}

/** Ready periods, each as a PDF and as a file for a spreadsheet. */
export function StatementList() {
  const download = useDownloadDocument()
  return (
    <ul aria-label="Months and years" className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line">
      {periods(new Date()).map(({ name, file }) => (
        <li key={name} className="flex items-center gap-1 py-0.5 pe-2 ps-4">
          <span className="me-auto tabular">{name}</span>
          {(['pdf', 'csv'] as const).map((format) => (
            <button
              key={format}
              type="button"
              aria-label={`${format.toUpperCase()} of ${name}`}
              disabled={download.isPending}
              onClick={() => download.mutate(file(format))}
              className="min-h-11 min-w-11 rounded-md px-2 text-sm font-semibold text-accent-text hover:bg-sunken disabled:opacity-60"
            >
              {format.toUpperCase()}
            </button>
          ))}
        </li>
      ))}
    </ul>
  )
}
