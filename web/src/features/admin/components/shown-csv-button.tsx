import { Download } from 'lucide-react'
import { Button, type ButtonProps } from '@/components/button'
import { saveFile } from '@/lib/files'
import { csvOf, type Columns } from '../csv'

type ShownCsvButtonProps<Row> = Pick<ButtonProps, 'size' | 'aria-label'> & { columns: Columns<Row>; rows: readonly Row[]; name: string }

/** Saves a list that is in the browser as a whole; one that has more pages has a `CsvButton`. */
export function ShownCsvButton<Row>({ columns, rows, name, ...button }: ShownCsvButtonProps<Row>) {
  return (
    <Button {...button} variant="secondary" onClick={() => saveFile(csvOf(columns, rows), `${name}.csv`)} icon={<Download aria-hidden className="size-4.5" />}>
      CSV
    </Button>
  )
}
