import { Download } from 'lucide-react'
import { Button, type ButtonProps } from '@/components/button'
import { useCsvFile } from '../api/csv-file'

type CsvButtonProps = Pick<ButtonProps, 'size' | 'aria-label'> & { url: string; filter: object; name: string }

/** Saves what a list shows, and what would follow, as a file. */
export function CsvButton({ url, filter, name, ...button }: CsvButtonProps) {
  const csv = useCsvFile()
  return (
    <Button {...button} variant="secondary" onClick={() => csv.mutateAsync({ url, filter, name })} icon={<Download aria-hidden className="size-4.5" />}>
      CSV
    </Button>
  )
}
