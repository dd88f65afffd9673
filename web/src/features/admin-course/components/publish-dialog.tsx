import { useState } from 'react'
import { Badge } from '@/components/badge'
import { Button, CancelButton } from '@/components/button'
import { cx } from '@/components/cx'
import { Dialog } from '@/components/dialog'
import { Notice } from '@/components/notice'
import { Skeleton } from '@/components/skeleton'
import { toApiError } from '@/lib/api-error'
import { useMediaList } from '../api/media'
import { usePublish, useVersion } from '../api/studio'
import type { Content } from '../api/types'
import { changes, type Change, type Line } from '../changes'

type PublishDialogProps = {
  published: number
  content: Content
  /** Waits until the draft is saved; its revision then. */
  save: () => Promise<number>
  onRefused: (errors: Record<string, string>) => void
  onClose: () => void
}

/** What members will see differently, and the decision. */
export function PublishDialog({ published, content, save, onRefused, onClose }: PublishDialogProps) {
  const { data: before } = useVersion(published, true)
  const publish = usePublish()
  const [problems, setProblems] = useState<string[]>([])
  const media = useMediaList()
  const nameOf = (id: string) => media.data?.find((file) => file.id === id)?.name ?? id
  const found = before && !media.isPending ? changes(before, content, nameOf) : undefined
  const decide = async () => {
    try {
      await publish.mutateAsync({ revision: await save(), published })
      onClose()
    } catch (error) {
      const { fields } = toApiError(error)
      setProblems([...new Set(Object.values(fields))])
      onRefused(fields)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Publish this draft?"
      footer={
        <>
          <CancelButton onClick={onClose} />
          <Button busyLabel="Publishing..." disabled={!found || found.length === 0} onClick={decide}>
            Publish
          </Button>
        </>
      }
    >
      <p>All members see the new version at once. You can go back to the one before at any time.</p>
      {problems.length > 0 && (
        <div className="mt-4">
          <Notice tone="caution" title="Not published: some parts are not finished">
            {problems.join(' ')}
          </Notice>
        </div>
      )}
      <div className="mt-4 max-h-80 space-y-2 overflow-y-auto" tabIndex={0} role="region" aria-label="Changes">
        {!found ? <Skeleton className="h-24" /> : found.length === 0 ? <p>Nothing differs from version {published}.</p> : found.map((change, index) => <ChangeRow key={index} change={change} />)}
      </div>
    </Dialog>
  )
}

function ChangeRow({ change: { title, what, lines } }: { change: Change }) {
  return (
    <details className="rounded-md border border-line">
      <summary className="flex min-h-11 cursor-pointer items-center justify-between gap-3 px-3 text-sm font-medium">
        <span className="min-w-0 truncate">{title}</span>
        <Badge tone={what === 'Removed' ? 'negative' : what === 'Changed' ? 'neutral' : 'positive'}>{what}</Badge>
      </summary>
      {lines.length > 0 && (
        <div className="border-t border-line py-2 font-mono text-xs leading-5">
          {near(lines).map((line, index) => (
            <DiffLine key={index} line={line} />
          ))}
        </div>
      )}
    </details>
  )
}

const marks = { same: ' ', added: '+', removed: '-' }

function DiffLine({ line: { kind, text } }: { line: Line }) {
  return (
    <p className={cx('px-3 break-words whitespace-pre-wrap', kind === 'added' && 'bg-positive-soft text-positive', kind === 'removed' && 'bg-negative-soft text-negative')}>
      <span className="sr-only">{kind === 'same' ? '' : `${kind}: `}</span>
      <span aria-hidden>{marks[kind]} </span>
      {text}
    </p>
  )
}

/** The lines that changed, with one line around them. */
function near(lines: readonly Line[]) {
  return lines.filter((line, index) => line.kind !== 'same' || (lines[index - 1]?.kind ?? 'same') !== 'same' || (lines[index + 1]?.kind ?? 'same') !== 'same')
}
