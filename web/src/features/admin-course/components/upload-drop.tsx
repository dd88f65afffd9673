import { Upload } from 'lucide-react'
import { useId } from 'react'
import { DropZone } from '@/components/drop-zone'

type UploadDropProps = { label: string; hint: string; accept: string; multiple?: boolean; onPick: (files: File[]) => void }

/** Choose or drop files that are sent at once. */
export function UploadDrop({ label, hint, ...zone }: UploadDropProps) {
  return (
    <DropZone id={useId()} className="flex min-h-14 items-center gap-3 py-3" {...zone}>
      <Upload aria-hidden className="size-5 shrink-0 text-ink-faint" />
      <span className="min-w-0 text-sm">
        <span className="font-semibold text-accent-text">{label}</span> <span className="text-ink-faint">{hint}</span>
      </span>
    </DropZone>
  )
}
