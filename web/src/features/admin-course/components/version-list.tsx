import { useState } from 'react'
import { Badge } from '@/components/badge'
import { Button, CancelButton } from '@/components/button'
import { Card, CardHeader } from '@/components/card'
import { Dialog } from '@/components/dialog'
import { formatDateTime } from '@/lib/dates'
import { useRestore } from '../api/studio'
import type { Version } from '../api/types'

type VersionListProps = { versions: readonly Version[]; published: number; mayPublish: boolean }

/** The versions, and the way back to each. */
export function VersionList({ versions, published, mayPublish }: VersionListProps) {
  const [asked, setAsked] = useState<number>()
  const restore = useRestore()
  const decide = async (number: number) => {
    await restore.mutateAsync({ number, published })
    setAsked(undefined)
  }
  return (
    <Card aria-label="Versions" className="pb-3">
      <CardHeader title="Versions" description="A version never changes; members see one of them." />
      <ul className="mt-3 divide-y divide-line">
        {versions.map(({ number, lessons, createdAt, createdByName }) => (
          <li key={number} className="flex min-h-14 flex-wrap items-center justify-between gap-3 px-5 py-2 sm:px-6">
            <div className="text-sm">
              <p className="flex items-center gap-2 font-medium">
                Version {number}
                {number === published && <Badge tone="positive">Published</Badge>}
              </p>
              <p className="text-ink-faint">
                {formatDateTime(createdAt)}, {lessons} lessons, {createdByName ?? 'imported'}
              </p>
            </div>
            {mayPublish && number !== published && (
              <Button variant="secondary" size="sm" onClick={() => setAsked(number)}>
                Restore<span className="sr-only"> version {number}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {asked !== undefined && (
        <Dialog
          open
          onClose={() => setAsked(undefined)}
          title={`Go to version ${asked}?`}
          footer={
            <>
              <CancelButton onClick={() => setAsked(undefined)} />
              <Button busyLabel="Restoring..." onClick={() => decide(asked)}>
                Restore version {asked}
              </Button>
            </>
          }
        >
          <p>All members see version {asked} at once. Version {published}, the draft and the progress of members stay.</p>
        </Dialog>
      )}
    </Card>
  )
}
