import { Address } from '@/components/address'
import { Card } from '@/components/card'
import { CodeForm } from '@/components/code-form'
import { Notice } from '@/components/notice'
import type { Transaction } from '@/lib/api-types'
import { useConfirmation } from '@/lib/confirmation'
import { queryKeys } from '@/lib/query-keys'
import { useMember } from '@/lib/session'

/** For an open withdrawal to an address that the member has not used before [D-A4]. */
export function ConfirmDestination({ withdrawal: { id, destination } }: { withdrawal: Transaction }) {
  const { email } = useMember()
  const { confirm, resend } = useConfirmation(`/transactions/${id}`, queryKeys.transactions)
  return (
    <Card className="p-5 sm:p-6">
      <Notice title="Confirm the address">
        <p>
          You have not withdrawn to this address before. Please compare it with your wallet, and enter the code we sent to{' '}
          <span className="break-words">{email}</span>. We then review your withdrawal. Its amount is held in the meantime.
        </p>
        {destination && (
          <p className="mt-2 text-ink">
            <Address>{destination.address}</Address>
          </p>
        )}
        {destination?.memo && <p className="break-words">{`Memo: ${destination.memo}`}</p>}
      </Notice>
      <div className="mt-5">
        <CodeForm submitLabel="Confirm address" busyLabel="Confirming..." onCode={confirm} onResend={resend} />
      </div>
    </Card>
  )
}
