/** The entities of the `/v1` contract as the screens use them. Amounts are JSON numbers of dollars. */

export type Wallet = { balance: number; bonus: number }

export type User = {
  id: string
  name: string
  email: string
  phone: string
  country: string
  image: string | null
  isVerified: boolean
  isWithdrawalPending: boolean
  hasPurchasedCourse: boolean
  /** `null` while the wallet cannot be asked. */
  wallet: Wallet | null
  /** Set for staff accounts only. */
  role?: string | null
  createdAt?: string
}

export type TransactionStatus = 'pending' | 'success' | 'failed'

export type Transaction = {
  id: string
  reference?: string
  title: string
  description: string
  status: TransactionStatus
  /** Anything but `credit` is shown as a debit. */
  type: string
  kind?: string
  amount: number
  createdAt: string
  receipt?: { url: string; contentType?: string | null } | null
  user?: { name: string; email: string; phone: string; country: string } | null
  claimedAmount?: number | null
  fee?: number | null
  netAmount?: number | null
  feePaid?: boolean | null
  method?: { id: string; currency: string; network: string; address: string; memo?: string | null } | null
  destination?: { address: string; memo?: string | null } | null
  needsDestination?: boolean | null
  txid?: string | null
  decidedAt?: string | null
  reasonCode?: string | null
  /** On a fee row: the withdrawal it is for. */
  withdrawalId?: string | null
}

export type PaymentMethod = {
  id: string
  currency: string
  network: string
  address: string
  memo?: string | null
  label?: string | null
  image: string | null
  scope: 'platform' | 'personal'
  editable: boolean
}

export type Plan = {
  id: string
  title: string
  subtitle: string
  min: number
  max: number
  roi: number
  duration: number
}

export type PlanValue = { value: number; at: string; source: string }

export type TradeStatus = 'opening' | 'open' | 'claimed' | 'closed' | 'failed'

export type Trade = {
  id: string
  amount: number
  currentValue: number
  profit?: number
  profitPercent?: number
  status?: TradeStatus
  createdAt: string
  maturesAt?: string | null
  closedAt?: string | null
  plan: { id?: string; title: string; roi?: number; duration?: number }
}

export type DeviceSession = {
  id: string
  current: boolean
  createdAt: string
  lastSeenAt: string
  device: string
  address: string
}
