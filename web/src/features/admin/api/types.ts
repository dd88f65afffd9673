/** What the back office reads, derived from the gateway's document; JSON of unknown shape stays unknown. */
import type { components } from '@/lib/api-schema'
import type { Percentiles, Transaction, User } from '@/lib/api-types'

type Schemas = components['schemas']

export type StaffTransaction = Transaction & Pick<Schemas['StaffTransaction'], 'memberId' | 'paying' | 'firstApproval'>

export type Check = Schemas['Check']

export type Review = Omit<Schemas['Review'], 'transaction'> & { transaction: StaffTransaction }

export type QueueCount = Schemas['QueueCount']

/** Times by the kind of what waits, where any of it was handled. */
export type Queue = { queue: QueueCount[]; times: Partial<Record<string, Percentiles | null>> }

export type MemberPage = Omit<Schemas['Member'], 'member'> & { member: User }

export type Hold = Schemas['Hold']

export type HoldReason = 'COMPLIANCE' | 'DISPUTE' | 'OTHER'

export type LedgerEntry = Schemas['Entry']

type Json = Record<string, unknown>

export type Proposal = Omit<Schemas['Proposal'], 'change' | 'before' | 'status'> & {
  change: Json
  before?: Json | null
  status: 'open' | 'confirmed' | 'rejected' | 'expired'
}

export type PlatformMethod = Schemas['PlatformMethod']

export type AuditRow = Omit<Schemas['AuditRow'], 'before' | 'after'> & { before?: Json | null; after?: Json | null }

export type Integrity = Schemas['Integrity']

export type DeadLetter = Schemas['DeadLetter']

export type Viewer = Schemas['Viewer']
