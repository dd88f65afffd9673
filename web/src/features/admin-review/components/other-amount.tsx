import { Notice } from '@/components/notice'
import type { Review } from '@/features/admin/api/types'

/** Says that the chain shows another amount than was fixed: that is no payout by itself [D-N4]. */
export function OtherAmount({ review: { checks } }: { review: Review }) {
  const units = checks.find(({ name, state }) => name === 'payment_units' && state === 'fail')
  return (
    units && (
      <Notice tone="caution" title="The chain shows another amount">
        {units.detail} Once it is recorded as sent, two treasurers say what became of it.
      </Notice>
    )
  )
}
