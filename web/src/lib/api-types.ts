/**
 * The entities of the `/v1` contract as the screens use them: the schemas of the gateway's OpenAPI document by their names.
 * Amounts are JSON numbers of dollars.
 */
import type { components } from './api-schema'

type Schemas = components['schemas']

export type ErrorCode = Schemas['ErrorCode']

export type Wallet = Schemas['Wallet']
export type DayBalances = Schemas['DayBalances']

export type Terms = Schemas['Terms']

export type Status = Schemas['Status']
export type Announcement = Schemas['Announcement']

export type QuoteTerms = Schemas['QuoteTerms']
export type Quote = Schemas['Quote']

export type User = Schemas['User']

export type SecurityEvent = Schemas['SecurityEvent']
export type Activity = Schemas['Activity']

export type Notice = Schemas['Notice']
export type Notices = Schemas['Notices']
export type NoticePreferences = Schemas['NoticePreferences']
export type GroupPreferences = Schemas['GroupPreferences']
export type PushState = Schemas['PushState']

export type Transaction = Schemas['Transaction']
export type Step = Schemas['Step']
export type TransactionStatus = Schemas['TransactionStatus']

export type Evidence = Schemas['Evidence']
export type ChainPayment = Schemas['ChainPayment']

export type Case = Schemas['CaseEntry']
export type CaseMessage = Schemas['CaseMessage']
export type CaseSubject = Schemas['CaseSubject']
export type CaseTopic = Schemas['CaseTopic']

export type PaymentMethod = Schemas['PaymentMethod']

export type Plan = Schemas['Plan']
export type PlanFacts = Schemas['PlanFacts']
export type PlanPage = Schemas['PlanPage']
export type RiskAnswer = Schemas['RiskAnswer']

export type PlanValue = Schemas['PlanValue']
export type CoursePoint = Schemas['CoursePoint']
export type PlanCourse = Schemas['PlanCourse']

export type Percentiles = Schemas['Percentiles']

export type HandlingTimes = Schemas['MemberTimes']

export type Trade = Schemas['Trade']

export type DeviceSession = Schemas['Session']

export type Totp = Schemas['TotpState']
export type Passkey = Schemas['Passkey']

export type Solvency = Schemas['PublicSolvency']
export type ProofLeaf = Schemas['ProofLeaf']
