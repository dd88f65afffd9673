/** What the form that closes an account shares with the fields of its payout. */

export type LastPayout = { method: string; address: string; memo: string }

export type LastPayoutProps = {
  balanceCents: number
  value: LastPayout
  onChange: (value: LastPayout) => void
  errors: Record<string, string>
}
