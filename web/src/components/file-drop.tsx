import { FileText, ImageIcon, Upload, X } from 'lucide-react'
import { useId, useState } from 'react'
import { formatDateTime } from '@/lib/dates'
import { formatBytes, type FileKind } from '@/lib/files'
import { IconButton } from './button'
import { DropZone } from './drop-zone'
import { WithSupport } from './with-support'

type FileDropProps = {
  label: string
  hint: string
  kind: FileKind
  file: File | null
  /** The file as it is to be sent. */
  onPick: (file: File) => void
  onRemove: () => void
  error?: string
}

/** Choose or drop one file; afterwards its name, size, type and last change are shown. */
export function FileDrop({ label, hint, kind, file, onPick, onRemove, error }: FileDropProps) {
  const id = useId()
  const [reading, setReading] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const shown = refusal ?? error

  const pick = async (picked: File) => {
    setReading(true)
    setRefusal(undefined)
    try {
      onPick(await kind.read(picked))
    } catch (cause) {
      setRefusal((cause as Error).message)
    } finally {
      setReading(false)
    }
  }

  return (
    <div>
      <p className="mb-1.5 text-sm font-medium text-ink" id={`${id}-label`}>
        {label}
      </p>
      {file ? (
        <PickedFile file={file} onRemove={onRemove} />
      ) : (
        <DropZone
          id={id}
          accept={kind.accept}
          aria-labelledby={`${id}-label`}
          aria-invalid={shown ? true : undefined}
          className="flex flex-col items-center gap-1 py-7 text-center"
          onPick={([picked]) => picked && !reading && void pick(picked)}
        >
          <Upload aria-hidden className="mb-1 size-5 text-ink-faint" />
          <span role="status" className="text-sm font-semibold text-accent-text">
            {reading ? 'Preparing the file...' : 'Choose a file'}
          </span>
          <span className="text-sm text-ink-faint">{hint}</span>
        </DropZone>
      )}
      {shown && (
        <p role="alert" className="mt-1.5 text-sm text-negative">
          <WithSupport text={shown} />
        </p>
      )}
    </div>
  )
}

function PickedFile({ file, onRemove }: { file: File; onRemove: () => void }) {
  const Icon = file.type.startsWith('image/') ? ImageIcon : FileText
  return (
    <div className="flex items-start gap-3 rounded-lg border border-line bg-sunken/50 p-3.5">
      <span className="grid size-10 shrink-0 place-items-center rounded-md bg-accent-soft text-accent-text">
        <Icon aria-hidden className="size-5" />
      </span>
      <div className="min-w-0 flex-1 text-sm">
        <p className="truncate font-medium text-ink">{file.name}</p>
        <p className="text-ink-faint">
          {formatBytes(file.size)} · {file.type || 'unknown type'}
        </p>
        <p className="text-ink-faint">Last modified {formatDateTime(file.lastModified)}</p>
      </div>
      <IconButton label={`Remove ${file.name}`} onClick={onRemove} className="-m-1.5">
        <X aria-hidden className="size-4.5" />
      </IconButton>
    </div>
  )
}
