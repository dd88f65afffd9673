import { useState } from 'react'
import { Button } from '@/components/button'
import { Confirmation } from '@/components/confirmation'
import { notify } from '@/lib/notify'
import { useTakeBackDeposit } from '../api/take-back-deposit'

/** Ends a request for which nothing was paid, once the member has said so twice [D-M5]. */
export function TakeBack({ id, reference }: { id: string; reference: string }) {
  const takeBack = useTakeBackDeposit()
  const [asked, setAsked] = useState<{ reference: string }>()
  const end = async () => {
    try {
      const { message } = await takeBack.mutateAsync(id)
      notify.success(message)
    } finally {
      setAsked(undefined)
    }
  }
  return (
    <div className="mt-4 flex flex-wrap items-center justify-between gap-3 border-t border-line pt-4 text-sm print:hidden">
      <span className="text-ink-soft">Not paid, and not going to?</span>
      <Button variant="secondary" size="sm" onClick={() => setAsked({ reference })}>
        Take it back
      </Button>
      <Confirmation act="DELETE /transactions/{id}" facts={asked} onConfirm={end} onClose={() => setAsked(undefined)} />
    </div>
  )
}
