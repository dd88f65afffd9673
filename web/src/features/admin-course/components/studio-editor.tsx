import { Eye, PencilLine } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Notice } from '@/components/notice'
import { useMay } from '@/features/admin/permissions'
import { saveDraft, useReloadStudio } from '../api/studio'
import type { Content, Studio } from '../api/types'
import { hasDiscarded, keepDiscarded, takeDiscarded } from '../discarded'
import { wholeCourse, type Place } from '../outline'
import { useDraft, type SaveState } from '../use-draft'
import { CourseTree } from './course-tree'
import { MemberPreview } from './member-preview'
import { PartForm } from './part-form'
import { PublishDialog } from './publish-dialog'
import { VersionList } from './version-list'

/** The outline beside the part that is edited; what is written is saved by itself. */
export function StudioEditor({ studio, published }: { studio: Studio; published: ReadonlySet<string> }) {
  const may = useMay()
  const reload = useReloadStudio()
  const { content, state, hasDraft, change, flush, revision } = useDraft(studio)
  const [place, setPlace] = useState<Place>(wholeCourse)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [shown, setShown] = useState<'editor' | 'preview' | 'publish'>('editor')
  const form = useRef<HTMLElement>(null)
  const readOnly = !may('editCourse')
  const select = (chosen: Place) => {
    setPlace(chosen)
    // Where the form is below the outline, it would be out of sight.
    if (window.matchMedia('(max-width: 63.99rem)').matches) form.current?.scrollIntoView({ block: 'start' })
  }
  const edit: typeof change = (update) => {
    // What is written now is not what was discarded.
    takeDiscarded()
    change(update)
  }
  const onChange = (next: Content, selected: Place) => {
    setPlace(selected)
    edit(() => next)
  }
  const discard = async () => {
    await flush().catch(() => undefined)
    // Somebody else's newer draft is shown, not discarded.
    const empty = await saveDraft(revision(), null).catch(() => undefined)
    if (empty) keepDiscarded(content)
    await reload()
  }
  const undo = () => {
    const before = takeDiscarded()
    if (before) change(() => before)
  }
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Status state={state} hasDraft={hasDraft} published={studio.published} changedBy={studio.changedByName} />
        <div className="flex flex-wrap gap-2">
          <Button
            variant="secondary"
            size="sm"
            icon={shown === 'preview' ? <PencilLine aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
            onClick={() => setShown(shown === 'preview' ? 'editor' : 'preview')}
          >
            {shown === 'preview' ? 'Back to the editor' : 'Preview as a member'}
          </Button>
          {!readOnly && hasDraft && (
            <Button variant="danger" size="sm" busyLabel="Discarding..." onClick={discard}>
              Discard the draft
            </Button>
          )}
          {may('publishCourse') && (
            <Button size="sm" disabled={(!hasDraft && state === 'saved') || state === 'conflict'} onClick={() => setShown('publish')}>
              Publish…
            </Button>
          )}
        </div>
      </div>
      {!hasDraft && state === 'saved' && hasDiscarded() && <Discarded onUndo={undo} />}
      {state === 'conflict' && <Conflict onReload={reload} />}
      {state === 'failed' && <Failed onRetry={() => flush().catch(() => undefined)} />}
      {shown === 'preview' ? (
        <MemberPreview content={content} />
      ) : (
        <div className="grid grid-cols-1 gap-4 lg:grid-cols-[19rem_minmax(0,1fr)]">
          <Card className="self-start p-3">
            <CourseTree content={content} selected={place} readOnly={readOnly} onSelect={select} onChange={onChange} />
          </Card>
          <Card ref={form} className="min-w-0 scroll-mt-20 self-start p-5">
            <PartForm content={content} place={place} readOnly={readOnly} published={published} errors={errors} onChange={onChange} onUpdate={edit} />
          </Card>
        </div>
      )}
      {shown === 'publish' && (
        <PublishDialog
          published={studio.published}
          content={content}
          save={async () => {
            await flush()
            return revision()
          }}
          onRefused={setErrors}
          onClose={() => setShown('editor')}
        />
      )}
      <VersionList versions={studio.versions} published={studio.published} mayPublish={may('publishCourse')} />
    </div>
  )
}

const saying: Record<SaveState, string> = {
  saved: 'saved.',
  unsaved: 'saving…',
  failed: 'not saved.',
  conflict: 'not saved.',
}

function Status({ state, hasDraft, published, changedBy }: { state: SaveState; hasDraft: boolean; published: number; changedBy?: string }) {
  return (
    <p role="status" className="text-sm text-ink-soft">
      {!hasDraft && state === 'saved' ? `Members see version ${published}.` : `Draft, ${saying[state]} Members see version ${published}.`}
      {hasDraft && changedBy && state === 'saved' && <span className="text-ink-faint"> Last changed by {changedBy}.</span>}
    </p>
  )
}

const Discarded = ({ onUndo }: { onUndo: () => unknown }) => (
  <div role="status">
    <Notice title="The draft was discarded">
      <Button variant="secondary" size="sm" onClick={onUndo}>
        Undo
      </Button>
    </Notice>
  </div>
)

const Conflict = ({ onReload }: { onReload: () => unknown }) => (
  <Notice tone="caution" title="Somebody else changed the draft">
    <p className="mb-2">Your last change is not saved. Copy what you need, then load the current draft.</p>
    <Button variant="secondary" size="sm" onClick={onReload}>
      Load the current draft
    </Button>
  </Notice>
)

const Failed = ({ onRetry }: { onRetry: () => unknown }) => (
  <Notice tone="caution" title="The draft could not be saved">
    <Button variant="secondary" size="sm" onClick={onRetry}>
      Retry
    </Button>
  </Notice>
)
