import { FileDrop } from '@/components/file-drop'
import { PROOF } from '@/lib/files'

type FileFieldProps = { file: File | null; onPick: (file: File | null) => void; error?: string | undefined }

/** A picture or PDF for staff to see [D-M8]. */
export const FileField = ({ file, onPick, error }: FileFieldProps) => (
  <FileDrop
    label="Picture or PDF (optional)"
    hint="PNG, JPEG, WebP, GIF or PDF, up to 5 MB. Cover what nobody else should see."
    kind={PROOF}
    file={file}
    onPick={onPick}
    onRemove={() => onPick(null)}
    {...(error ? { error } : {})}
  />
)
