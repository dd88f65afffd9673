/**
 * The entities of the `/v1` contract as the screens use them, derived from the gateway's OpenAPI document.
 * Amounts are JSON numbers of dollars; what the document calls a string is narrowed to the values it can have.
 */
import type { components } from './api-schema'

type Schemas = components['schemas']

type Refined<T, Narrow> = Omit<T, keyof Narrow> & Narrow

export type Wallet = Schemas['Wallet']

export type Terms = Schemas['Terms']

export type User = Schemas['User']

export type SecurityEvent = Schemas['SecurityEvent']
export type Activity = Schemas['Activity']

export type TransactionStatus = 'pending' | 'success' | 'failed'

export type Transaction = Refined<Schemas['Transaction'], { status: TransactionStatus; createdAt: string }>

export type PaymentMethod = Refined<Schemas['PaymentMethod'], { scope: 'platform' | 'personal' }>

export type Plan = Schemas['Plan']

export type PlanValue = { value: number; at: string; source: string }
export type CoursePoint = Omit<PlanValue, 'source'>
export type PlanCourse = { id: string; values: CoursePoint[] }

export type Percentiles = Schemas['Percentiles']

export type HandlingTimes = Schemas['MemberTimes']

export type TradeStatus = 'opening' | 'open' | 'claimed' | 'closed' | 'failed'

export type Trade = Refined<Schemas['Trade'], { status: TradeStatus; createdAt: string }>

export type DeviceSession = Refined<Schemas['Session'], { createdAt: string; lastSeenAt: string }>
