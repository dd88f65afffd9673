import type { Transaction } from '@/lib/api-types'
import { ConfirmDestination } from './confirm-destination'
import { DestinationForm } from './destination-form'

/** What an open withdrawal needs of its member before it can be reviewed: where to go, and that this is right. */
export const DestinationStep = ({ withdrawal }: { withdrawal: Transaction }) =>
  withdrawal.needsDestination ? <DestinationForm withdrawal={withdrawal} /> : <ConfirmDestination withdrawal={withdrawal} />
