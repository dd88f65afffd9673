import { Badge } from '@/components/badge'
import { Card } from '@/components/card'
import type { User } from '@/lib/api-types'
import { useResetFactors } from '@/features/admin/api/members'
import type { MemberPage } from '@/features/admin/api/types'
import { formatMoment } from '@/lib/dates'
import { useMay } from '@/features/admin/permissions'
import { NoteButton } from '@/features/admin/components/note-dialog'

type MemberFactorProps = { member: User; factor: NonNullable<MemberPage['secondFactor']> }

/** Whether the member logs in with a second factor, and the way to remove one that was lost [D-A3]. */
export function MemberFactor({ member, factor: { enrolled, removedAt } }: MemberFactorProps) {
  const may = useMay()
  const reset = useResetFactors(member.id)
  return (
    <Card className="p-4">
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-base font-semibold">Second factor</h2>
        <Badge tone={enrolled ? 'positive' : 'neutral'}>{enrolled ? 'On' : 'Off'}</Badge>
      </div>
      {removedAt && (
        <p className="mt-1 text-sm text-ink-soft">
          It is removed on {formatMoment(removedAt)}, unless the member uses it before then. The member was informed by email.
        </p>
      )}
      {enrolled && !removedAt && may('resetFactors') && (
        <NoteButton
          variant="secondary"
          size="sm"
          className="mt-3"
          title={`Remove the second factor of ${member.name}`}
          explanation="For members who lost their authenticator app and all recovery codes. Verify their identity first. The second factor is removed 72 hours after another reviewer confirms, and all sessions end, unless the member uses it before then."
          label="How you verified their identity"
          submitLabel="Propose"
          action={reset}
        >
          Propose to remove
        </NoteButton>
      )}
    </Card>
  )
}
