import { ArrowDown, ArrowUp, ImagePlus, Trash2 } from 'lucide-react'
import { IconButton } from '@/components/button'
import { TextField } from '@/components/field'
import { toApiError } from '@/lib/api-error'
import { formatBytes } from '@/lib/files'
import { notify } from '@/lib/notify'
import { useMediaFile, useReloadMedia } from '../api/media'
import type { LessonFile } from '../api/types'
import { upload } from '../uploads'
import { MediaState } from './media-state'
import { UploadDrop } from './upload-drop'

const MOST = 20

type AttachmentsFieldProps = {
  files: readonly LessonFile[]
  readOnly: boolean
  error: (index: number) => string | undefined
  /** Of the newest list: an upload may begin while another one changes it. */
  onChange: (change: (files: readonly LessonFile[]) => LessonFile[]) => void
  /** Puts a picture into the text. */
  onShow: (file: LessonFile) => void
}

/** What members may download with a lesson, in this order and under these names. */
export function AttachmentsField({ files, readOnly, error, onChange, onShow }: AttachmentsFieldProps) {
  const reload = useReloadMedia()
  if (readOnly && files.length === 0) return null
  const add = async (picked: readonly File[]) => {
    for (const file of picked.slice(0, MOST - files.length)) {
      try {
        const media = await upload(file, 'attachment', () => void reload())
        onChange((list) => (list.some((other) => other.media === media) ? [...list] : [...list, { media, name: file.name.slice(0, 120) }]))
      } catch (cause) {
        notify.error(toApiError(cause).message)
      }
    }
  }
  const swap = (at: number, other: number) =>
    onChange((list) => list.map((file, index) => (index === at ? (list[other] ?? file) : index === other ? (list[at] ?? file) : file)))
  return (
    <fieldset className="min-w-0 rounded-lg border border-line p-4">
      <legend className="-ms-1 px-1 text-sm font-medium">Downloads</legend>
      {files.length > 0 && (
        <ol className="mb-4 space-y-4">
          {files.map(({ media, name }, index) => (
            <li key={media}>
              <div className="flex flex-wrap items-end justify-end gap-x-1 sm:flex-nowrap">
                <div className="min-w-0 basis-full sm:flex-1">
                  <TextField
                    label={`Name of file ${index + 1}`}
                    value={name}
                    maxLength={120}
                    disabled={readOnly}
                    onChange={({ target }) => onChange((list) => list.map((file) => (file.media === media ? { media, name: target.value } : file)))}
                  />
                </div>
                {!readOnly && (
                  <>
                    <ShowButton file={{ media, name }} onShow={onShow} />
                    <IconButton label={`Move ${name} up`} disabled={index === 0} onClick={() => swap(index, index - 1)}>
                      <ArrowUp aria-hidden className="size-4" />
                    </IconButton>
                    <IconButton label={`Move ${name} down`} disabled={index === files.length - 1} onClick={() => swap(index, index + 1)}>
                      <ArrowDown aria-hidden className="size-4" />
                    </IconButton>
                    <IconButton label={`Remove ${name}`} onClick={() => onChange((list) => list.filter((file) => file.media !== media))}>
                      <Trash2 aria-hidden className="size-4" />
                    </IconButton>
                  </>
                )}
              </div>
              <AttachmentState id={media} />
              {error(index) && (
                <p role="alert" className="mt-1 text-sm text-negative">
                  {error(index)}
                </p>
              )}
            </li>
          ))}
        </ol>
      )}
      {!readOnly && files.length < MOST && (
        <UploadDrop label="Add files" hint="or drop them here. Up to 100 MB each." accept="" multiple onPick={(picked) => void add(picked)} />
      )}
    </fieldset>
  )
}

/** Of a picture, which can stand in the text instead of among the downloads. */
function ShowButton({ file, onShow }: { file: LessonFile; onShow: (file: LessonFile) => void }) {
  const { data: media } = useMediaFile(file.media)
  if (!media?.url || !media.type?.startsWith('image/')) return null
  return (
    <IconButton label={`Put ${file.name} into the text`} onClick={() => onShow(file)}>
      <ImagePlus aria-hidden className="size-4" />
    </IconButton>
  )
}

function AttachmentState({ id }: { id: string }) {
  const { data: media, error } = useMediaFile(id)
  if (error) return <p className="mt-1 text-sm text-negative">This file could not be found.</p>
  if (!media) return null
  return <div className="mt-1.5">{media.state === 'ready' ? <p className="tabular text-sm text-ink-faint">{formatBytes(media.size)}</p> : <MediaState media={media} />}</div>
}
