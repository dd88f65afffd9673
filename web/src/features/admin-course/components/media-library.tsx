import { Film } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Skeleton } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { formatDay } from '@/lib/dates'
import { formatClock } from '@/lib/durations'
import { formatBytes } from '@/lib/files'
import { useMediaList, useRemoveMedia } from '../api/media'
import type { Media } from '../api/types'
import { cancel } from '../uploads'

/** All videos that were uploaded: to use one again, or to remove one. */
export function MediaLibrary({ onChoose, onClose }: { onChoose: (id: string) => void; onClose: () => void }) {
  const { data, error, isFetching, refetch } = useMediaList()
  const videos = data?.filter(({ kind }) => kind === 'video')
  return (
    <Dialog open onClose={onClose} title="Video library">
      {!videos ? (
        error ? <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} /> : <Skeleton className="h-40" />
      ) : videos.length === 0 ? (
        <EmptyState icon={Film} title="No videos yet" description="Upload one in a lesson; it appears here." />
      ) : (
        <div role="region" aria-label="Videos" tabIndex={0} className="-mx-2 max-h-100 overflow-y-auto px-2">
          <ul className="space-y-1">
            {videos.map((media) => (
              <LibraryRow key={media.id} media={media} onChoose={onChoose} />
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  )
}

const tones = { uploading: 'neutral', queued: 'neutral', processing: 'accent', ready: 'positive', failed: 'negative' } as const
const labels = { uploading: 'Uploading', queued: 'Queued', processing: 'Processing', ready: 'Ready', failed: 'Failed' } as const

function LibraryRow({ media, onChoose }: { media: Media; onChoose: (id: string) => void }) {
  const remove = useRemoveMedia()
  const [asked, setAsked] = useState(false)
  const { id, name, poster, state, size, duration, createdAt } = media
  const end = async () => {
    cancel(id)
    // Refused, and said by a toast, while a version or the draft has it.
    await remove.mutateAsync(id).catch(() => undefined)
    setAsked(false)
  }
  return (
    <li className="flex flex-wrap items-center gap-3 rounded-md border border-line p-2">
      <div className="grid aspect-video w-24 shrink-0 place-items-center overflow-hidden rounded-sm bg-sunken text-ink-faint">
        {poster ? <img src={poster} alt="" loading="lazy" className="size-full object-cover" /> : <Film aria-hidden className="size-5" />}
      </div>
      <div className="min-w-0 flex-1 basis-40 text-sm">
        <p className="truncate font-medium text-ink">{name}</p>
        <p className="tabular text-ink-faint">
          {duration !== undefined && `${formatClock(duration)} · `}
          {formatBytes(size)} · {formatDay(createdAt)}
        </p>
        <Badge tone={tones[state]}>{labels[state]}</Badge>
      </div>
      <div className="ms-auto flex gap-1">
        {asked ? (
          <>
            <Button variant="danger" size="sm" onClick={end}>
              Delete for good
            </Button>
            <Button variant="ghost" size="sm" onClick={() => setAsked(false)}>
              Keep
            </Button>
          </>
        ) : (
          <>
            <Button variant="ghost" size="sm" onClick={() => setAsked(true)}>
              Delete<span className="sr-only"> {name}</span>
            </Button>
            <Button variant="secondary" size="sm" disabled={state === 'failed'} onClick={() => onChoose(id)}>
              Use<span className="sr-only"> {name}</span>
            </Button>
          </>
        )}
      </div>
    </li>
  )
}
