import type { Transaction } from '@/lib/api-types'
import { ConfirmDestination } from './confirm-destination'
import { DestinationForm } from './destination-form'

/** Steps before an open withdrawal can be reviewed: its destination and the confirmation of it. */
export const DestinationStep = ({ withdrawal }: { withdrawal: Transaction }) =>
  withdrawal.needsDestination ? <DestinationForm withdrawal={withdrawal} /> : <ConfirmDestination withdrawal={withdrawal} />
