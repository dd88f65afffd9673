import { useState } from 'react'
import { Avatar } from '@/components/avatar'
import { Button, buttonClass } from '@/components/button'
import { Card } from '@/components/card'
import type { User } from '@/lib/api-types'
import { PICTURE, readAsDataUrl } from '@/lib/files'
import { notify } from '@/lib/notify'
import { useUpdateImage } from '../api/change-profile'

/** Choose a photo, see it, then confirm or cancel [PROF-01]. */
export function PhotoCard({ user }: { user: User }) {
  const update = useUpdateImage(user.id)
  const [preview, setPreview] = useState<string | null>(null)

  const pick = async (picked: File | undefined) => {
    if (!picked) return
    try {
      setPreview(await readAsDataUrl(await PICTURE.read(picked)))
    } catch (cause) {
      notify.error((cause as Error).message)
    }
  }

  const upload = () => preview && update.mutateAsync(preview, { onSuccess: () => setPreview(null) })

  return (
    <Card className="flex flex-wrap items-center gap-5 p-5 sm:p-6">
      <Avatar src={preview ?? user.image} name={user.name} className="size-20" />
      <div className="min-w-0 grow basis-44">
        <p className="truncate text-lg font-semibold">{user.name}</p>
        <p className="truncate text-sm text-ink-faint">{user.email}</p>
      </div>
      {preview ? (
        <div className="flex flex-wrap gap-2">
          <Button busyLabel="Uploading..." onClick={upload}>
            Upload photo
          </Button>
          <Button variant="ghost" disabled={update.isPending} onClick={() => setPreview(null)}>
            Cancel
          </Button>
        </div>
      ) : (
        <label
          className={buttonClass(
            { variant: 'secondary' },
            'cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
          )}
        >
          Change photo
          <input
            type="file"
            accept={PICTURE.accept}
            className="sr-only"
            onChange={(event) => {
              void pick(event.target.files?.[0])
              event.target.value = ''
            }}
          />
        </label>
      )}
    </Card>
  )
}
