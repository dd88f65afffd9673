import { Captions as CaptionsIcon, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { Button, IconButton } from '@/components/button'
import { TextField } from '@/components/field'
import { Form } from '@/components/form'
import { toApiError } from '@/lib/api-error'
import { languageName } from '@/lib/languages'
import { useDeleteCaptions, usePutCaptions } from '../api/media'
import type { Media } from '../api/types'
import { textOf } from '../text-file'

/** The captions of a video; its transcript is made of them. */
export function CaptionsField({ media, readOnly }: { media: Media; readOnly: boolean }) {
  const remove = useDeleteCaptions(media.id)
  const [isAdding, setAdding] = useState(false)
  if (readOnly && media.captions.length === 0) return null
  return (
    <div>
      <h3 className="text-sm font-medium">Captions and transcript</h3>
      <p className="text-sm text-ink-faint">They take effect at once, also where the video is published.</p>
      {media.captions.length > 0 && (
        <ul className="mt-2 divide-y divide-line rounded-md border border-line">
          {media.captions.map(({ language, label }) => (
            <li key={language} className="flex min-h-11 items-center gap-3 ps-3 text-sm">
              <CaptionsIcon aria-hidden className="size-4.5 shrink-0 text-ink-faint" />
              <span className="min-w-0 flex-1 wrap-anywhere">
                {label} <span className="text-ink-faint">({language})</span>
              </span>
              {!readOnly && (
                <IconButton label={`Remove the captions in ${label}`} disabled={remove.isPending} onClick={() => remove.mutate(language)}>
                  <Trash2 aria-hidden className="size-4" />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {!readOnly &&
        (isAdding ? (
          <CaptionsForm id={media.id} onDone={() => setAdding(false)} />
        ) : (
          <Button variant="secondary" size="sm" className="mt-3" onClick={() => setAdding(true)}>
            Add captions
          </Button>
        ))}
    </div>
  )
}

function CaptionsForm({ id, onDone }: { id: string; onDone: () => void }) {
  const put = usePutCaptions(id)
  const [language, setLanguage] = useState('en')
  const [label, setLabel] = useState<string>()
  const [file, setFile] = useState<File>()
  const [missing, setMissing] = useState(false)
  const [unreadable, setUnreadable] = useState(false)
  const picker = useId()
  const { fields } = toApiError(put.error)
  const name = label ?? languageName(language)
  const save = async () => {
    setMissing(!file)
    if (!file) return
    const vtt = await textOf(file).catch(() => undefined)
    setUnreadable(vtt === undefined)
    if (vtt === undefined) return
    // Refused: said at the field, or by a toast.
    await put.mutateAsync({ language: language.trim(), label: name.trim(), vtt }).then(onDone, () => undefined)
  }
  const problem = missing && !file ? 'Choose a file' : unreadable ? 'The file could not be read. Choose it again.' : fields['vtt']
  return (
    <Form onSubmit={save} className="mt-3 space-y-4 rounded-md bg-sunken p-4">
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField label="Language code" hint="Such as en or pt-BR" value={language} error={fields['language']} maxLength={35} onChange={(event) => setLanguage(event.target.value)} />
        <TextField label="Name in the player" value={name} error={fields['label']} maxLength={60} onChange={(event) => setLabel(event.target.value)} />
      </div>
      <div>
        <label htmlFor={picker} className="mb-1.5 block text-sm font-medium">
          File in WebVTT or SRT
        </label>
        <input
          id={picker}
          type="file"
          accept=".vtt,.srt,text/vtt,application/x-subrip"
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${picker}-note` : undefined}
          onChange={(event) => setFile(event.target.files?.[0])}
          className="block w-full text-sm file:me-3 file:min-h-9 file:cursor-pointer file:rounded-md file:border file:border-line file:bg-surface file:px-3 file:text-sm file:font-semibold file:text-ink"
        />
        {problem && (
          <p id={`${picker}-note`} role="alert" className="mt-1.5 text-sm text-negative">
            {problem}
          </p>
        )}
      </div>
      <div className="flex gap-2">
        <Button type="submit" size="sm" busyLabel="Saving...">
          Save
        </Button>
        <Button variant="ghost" size="sm" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
