import { Badge } from '@/components/badge'
import { useStaffName } from '@/features/admin/api/staff'
import type { Verdict } from '@/features/admin/api/types'

/** Who works on a transaction. */
export function ClaimBadge({ verdict }: { verdict?: Pick<Verdict, 'claimedBy' | 'claimedByName'> }) {
  const staffName = useStaffName()
  return verdict?.claimedBy && <Badge tone="accent">{`Claimed by ${staffName(verdict.claimedBy, verdict.claimedByName)}`}</Badge>
}
