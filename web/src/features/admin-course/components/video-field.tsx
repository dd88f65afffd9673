import { Film, Library } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { Button } from '@/components/button'
import { Skeleton } from '@/components/skeleton'
import { ErrorPanel } from '@/components/states'
import { toApiError } from '@/lib/api-error'
import { formatClock } from '@/lib/durations'
import { formatBytes } from '@/lib/files'
import { loadChunk } from '@/lib/load-chunk'
import { notify } from '@/lib/notify'
import { useMediaFile, useReloadMedia, useRemoveMedia } from '../api/media'
import type { Media } from '../api/types'
import { cancel, upload, useUpload } from '../uploads'
import { CaptionsField } from './captions-field'
import { MediaLibrary } from './media-library'
import { MediaState } from './media-state'
import { UploadDrop } from './upload-drop'

const StudioPlayer = lazy(async () => ({ default: (await loadChunk(() => import('./studio-player'))).StudioPlayer }))

type VideoFieldProps = {
  /** The id of the video. */
  value: string | undefined
  title: string
  readOnly: boolean
  error?: string
  onChange: (id: string | undefined) => void
}

/** The video of a lesson: sent, processed, looked at, captioned. */
export function VideoField({ value, title, readOnly, error, onChange }: VideoFieldProps) {
  const [isChoosing, setChoosing] = useState(false)
  const send = useUploadOf(onChange)
  return (
    <fieldset className="min-w-0 rounded-lg border border-line p-4">
      <legend className="-ms-1 px-1 text-sm font-medium">Video</legend>
      {value === undefined ? (
        readOnly && <p className="text-sm text-ink-faint">This lesson has no video.</p>
      ) : (
        <ChosenVideo key={value} id={value} title={title} readOnly={readOnly} onRemove={() => onChange(undefined)} onPick={send} />
      )}
      {value === undefined && !readOnly && (
        <div className="flex flex-col items-start gap-3">
          <div className="w-full">
            <UploadDrop label="Upload a video" hint="or drop it here. MP4, MOV, WebM or MKV, up to 4 GB." accept="video/*,.mkv" onPick={([file]) => file && void send(file)} />
          </div>
          <Button variant="ghost" size="sm" icon={<Library aria-hidden className="size-4" />} onClick={() => setChoosing(true)}>
            Choose from the library
          </Button>
        </div>
      )}
      {error && (
        <p role="alert" className="mt-3 text-sm text-negative">
          {error}
        </p>
      )}
      {isChoosing && (
        <MediaLibrary
          onChoose={(id) => {
            onChange(id)
            setChoosing(false)
          }}
          onClose={() => setChoosing(false)}
        />
      )}
    </fieldset>
  )
}

/** Sends a file; the lesson has it as soon as the server does. */
function useUploadOf(onChange: (id: string) => void) {
  const reload = useReloadMedia()
  return async (file: File) => {
    try {
      onChange(await upload(file, 'video', () => void reload()))
      void reload()
    } catch (error) {
      notify.error(toApiError(error).message)
    }
  }
}

type ChosenVideoProps = { id: string; title: string; readOnly: boolean; onRemove: () => void; onPick: (file: File) => Promise<void> }

function ChosenVideo({ id, title, readOnly, onRemove, onPick }: ChosenVideoProps) {
  const { data: media, error, isFetching, refetch } = useMediaFile(id)
  const removal = useRemoveMedia()
  if (!media) {
    if (!error) return <Skeleton className="h-24" />
    return (
      <>
        <ErrorPanel error={error} title="The video could not be loaded" onRetry={() => void refetch()} busy={isFetching} />
        {!readOnly && (
          <Button variant="danger" size="sm" onClick={onRemove}>
            Remove from the lesson
          </Button>
        )}
      </>
    )
  }
  const isSent = media.state !== 'uploading'
  const end = async () => {
    cancel(id)
    onRemove()
    // The draft may still name it: then it is removed with the other unfinished uploads.
    await removal.mutateAsync(id).catch(() => undefined)
  }
  return (
    <div className="space-y-4">
      <div className="flex items-start gap-3">
        <Film aria-hidden className="mt-0.5 size-5 shrink-0 text-ink-faint" />
        <div className="min-w-0 flex-1">
          <p className="font-medium wrap-anywhere">{media.name}</p>
          <p className="tabular text-sm text-ink-faint">{factsOf(media)}</p>
        </div>
        {!readOnly && (
          <Button variant="danger" size="sm" onClick={isSent ? onRemove : end}>
            {isSent ? 'Remove' : 'Cancel'}
          </Button>
        )}
      </div>
      <MediaState media={media} />
      {!readOnly && (media.state === 'uploading' || media.state === 'failed') && <Again media={media} onPick={onPick} />}
      {media.state === 'ready' && (
        <Suspense fallback={<div className="aspect-video w-full max-w-xl rounded-lg bg-screen" />}>
          <div className="max-w-xl">
            <StudioPlayer media={media} title={title} />
          </div>
        </Suspense>
      )}
      {isSent && media.state !== 'failed' && <CaptionsField media={media} readOnly={readOnly} />}
    </div>
  )
}

/** A file that is chosen again goes on where it stopped; another one takes its place. */
function Again({ media, onPick }: { media: Media; onPick: (file: File) => Promise<void> }) {
  const isSending = useUpload(media.id) !== undefined
  if (isSending) return null
  const label = media.state === 'failed' ? 'Upload another video' : 'Choose the file again'
  return <UploadDrop label={label} hint="or drop it here." accept="video/*,.mkv" onPick={([file]) => file && void onPick(file)} />
}

const factsOf = ({ size, duration, width, height }: Media) =>
  [duration !== undefined && formatClock(duration), width !== undefined && height !== undefined && `${width} × ${height}`, formatBytes(size)].filter(Boolean).join(' · ')
