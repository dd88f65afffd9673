import { Pause, Play, RotateCw } from 'lucide-react'
import { Button } from '@/components/button'
import { Progress } from '@/components/progress'
import { formatSpan } from '@/lib/durations'
import { formatBytes } from '@/lib/files'
import { percentOf } from '@/lib/money'
import type { Media } from '../api/types'
import { pause, resume, useUpload, type Upload } from '../uploads'

/** How far a file has come: sent, queued, processed, or why not. Says nothing of one that is ready. */
export function MediaState({ media }: { media: Media }) {
  const upload = useUpload(media.id)
  if (media.state === 'uploading') return upload ? <Sending id={media.id} name={media.name} upload={upload} /> : <Interrupted media={media} />
  if (media.state === 'queued') return <p className="text-sm text-ink-soft">Uploaded. Waiting to be processed.</p>
  if (media.state === 'processing') {
    return (
      <div>
        <p className="mb-1.5 flex justify-between gap-3 text-sm text-ink-soft">
          <span>Processing</span> <span className="tabular">{media.progress} %</span>
        </p>
        <Progress percent={media.progress} label={`Processing of ${media.name}`} />
      </div>
    )
  }
  return media.state === 'failed' ? <p className="text-sm text-negative">{media.reason ?? 'This file could not be processed.'}</p> : null
}

function Sending({ id, name, upload }: { id: string; name: string; upload: Upload }) {
  const { sent, size, state, message } = upload
  return (
    <div>
      <p role="status" className="mb-1.5 text-sm text-ink-soft">
        {saying(upload)}
      </p>
      <Progress percent={percentOf(sent, size)} label={`Upload of ${name}`} />
      {state === 'failed' && <p className="mt-2 text-sm text-negative">{message}</p>}
      <div className="mt-3">
        {state === 'sending' || state === 'waiting' ? (
          <Button variant="secondary" size="sm" icon={<Pause aria-hidden className="size-4" />} onClick={() => pause(id)}>
            Pause
          </Button>
        ) : (
          <Button
            variant="secondary"
            size="sm"
            icon={state === 'failed' ? <RotateCw aria-hidden className="size-4" /> : <Play aria-hidden className="size-4" />}
            onClick={() => resume(id)}
          >
            {state === 'failed' ? 'Retry' : 'Resume'}
          </Button>
        )}
      </div>
    </div>
  )
}

const share = (bytes: number, size: number) => `${Math.floor(percentOf(bytes, size))} % of ${formatBytes(size)}`

function saying({ sent, size, bytesPerSecond, state }: Upload) {
  const part = share(sent, size)
  if (state === 'paused') return `Paused at ${part}`
  if (state === 'failed') return `Stopped at ${part}`
  if (state === 'waiting') return `Waiting for the connection, at ${part}`
  const left = bytesPerSecond > 0 ? `, ${formatSpan((size - sent) / bytesPerSecond)} left` : ''
  return `Uploading, ${part}${left}`
}

const Interrupted = ({ media: { name, offset, size } }: { media: Media }) => (
  <p className="text-sm text-ink-soft">
    The upload stopped at {share(offset, size)}. Choose <span className="font-medium wrap-anywhere text-ink">{name}</span> again to go on from there.
  </p>
)
