import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { useRebuildAccount } from '../api/integrity'
import type { Integrity } from '@/features/admin/api/types'
import { formatMoment } from '@/lib/dates'
import { adminPaths } from '@/features/admin/paths'
import { useMay } from '@/features/admin/permissions'
import { NoteButton } from '@/features/admin/components/note-dialog'

type Fault = Integrity['faults'][number]

/** Failed checks, each until it verifies again; an account can be rebuilt by two treasurers [D-R6]. */
export function FaultList({ faults }: { faults: Fault[] }) {
  return (
    <Card className="p-4 sm:p-5">
      <h2 className="text-base font-semibold">Failed checks</h2>
      <ul className="mt-2 divide-y divide-line text-sm">
        {faults.map((fault) => (
          <FaultRow key={`${fault.subject} ${fault.subjectId}`} fault={fault} />
        ))}
      </ul>
    </Card>
  )
}

function FaultRow({ fault: { subject, subjectId, detail, foundAt } }: { fault: Fault }) {
  const may = useMay()
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 py-3">
      <div className="min-w-0">
        <p className="break-words">{detail}</p>
        {foundAt && <p className="text-ink-faint">Found {formatMoment(foundAt)}</p>}
      </div>
      {subject === 'account' && may('correctBalances') && <Rebuild accountId={subjectId} />}
      {subject === 'payment' && <ButtonLink size="sm" variant="secondary" to={adminPaths.review(subjectId)}>Open</ButtonLink>}
    </li>
  )
}

function Rebuild({ accountId }: { accountId: string }) {
  const rebuild = useRebuildAccount(accountId)
  return (
    <NoteButton
      variant="secondary"
      size="sm"
      title="Rebuild this account from its entries"
      explanation="Recomputes the balance, the entry count and the chain head of the account from its entries. Another treasurer has to confirm it."
      label="Reason"
      submitLabel="Propose"
      action={rebuild}
    >
      Rebuild from entries
    </NoteButton>
  )
}
