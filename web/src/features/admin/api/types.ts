/** What the back office reads: the schemas of the gateway's document by their names. */
import type { components } from '@/lib/api-schema'

type Schemas = components['schemas']

export type StaffTransaction = Schemas['StaffTransaction']
export type WaitingTransaction = Schemas['WaitingTransaction']

export type Check = Schemas['Check']
export type Evidence = Schemas['Evidence']
export type StaffCase = Schemas['StaffCase']
export type Colleague = Schemas['Colleague']
export type StaffCaseMessage = Schemas['StaffCaseMessage']
export type UnclaimedPayment = Schemas['UnclaimedPayment']

export type Review = Schemas['Review']

export type PreparedPayouts = Schemas['PreparedPayouts']
export type SentPayouts = Schemas['SentPayouts']

export type Verdict = Schemas['Verdict']

export type Found = Schemas['Found']

export type QueueCount = Schemas['QueueCount']

export type Queue = Schemas['Queue']

export type MemberPage = Schemas['Member']

export type Hold = Schemas['Hold']

export type HoldReason = Schemas['HoldReason']

export type RejectionReason = Schemas['RejectionReason']

export type Role = Schemas['Role']

export type Permission = Schemas['Permission']

export type Me = Schemas['Me']

export type LedgerEntry = Schemas['Entry']

export type Proposal = Schemas['Proposal']

export type PlatformMethod = Schemas['PlatformMethod']

export type AuditRow = Schemas['AuditRow']

export type Integrity = Schemas['Integrity']

export type Treasury = Schemas['Treasury']
export type Backing = Schemas['Backing']
export type Solvency = Schemas['Solvency']
export type MovementKind = Schemas['MovementKind']

export type Holdings = Schemas['Holdings']
export type Holding = Schemas['Holding']

export type Figures = Schemas['Figures']

export type DeadLetter = Schemas['DeadLetter']

export type Viewer = Schemas['Viewer']
