import { Upload } from 'lucide-react'
import { useId, useState, type DragEvent } from 'react'
import { cx } from '@/components/cx'

type UploadDropProps = { label: string; hint: string; accept: string; multiple?: boolean; onPick: (files: File[]) => void }

/** Choose or drop files that are sent at once. */
export function UploadDrop({ label, hint, accept, multiple = false, onPick }: UploadDropProps) {
  const id = useId()
  const [over, setOver] = useState(false)
  const pick = (files: FileList | null) => {
    const picked = [...(files ?? [])]
    if (picked.length > 0) onPick(multiple ? picked : picked.slice(0, 1))
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    pick(event.dataTransfer.files)
  }
  return (
    <label
      htmlFor={id}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={cx(
        'flex min-h-14 items-center gap-3 rounded-lg border border-dashed px-4 py-3 transition-colors',
        'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
        over ? 'border-accent bg-accent-soft' : 'border-line-control hover:bg-sunken',
      )}
    >
      <Upload aria-hidden className="size-5 shrink-0 text-ink-faint" />
      <span className="min-w-0 text-sm">
        <span className="font-semibold text-accent-text">{label}</span> <span className="text-ink-faint">{hint}</span>
      </span>
      <input
        id={id}
        type="file"
        accept={accept}
        multiple={multiple}
        className="sr-only"
        onChange={(event) => {
          pick(event.target.files)
          event.target.value = ''
        }}
      />
    </label>
  )
}
