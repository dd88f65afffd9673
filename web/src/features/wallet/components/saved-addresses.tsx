import { SelectField } from '@/components/field'
import type { PaymentMethod } from '@/lib/api-types'

type SavedAddressesProps = {
  /** The member's own addresses on the chosen network. */
  addresses: readonly PaymentMethod[]
  /** What is entered now. */
  address: string
  onChoose: (method: PaymentMethod | undefined) => void
}

/** Which saved address to pay to, or a new one. */
export function SavedAddresses({ addresses, address, onChoose }: SavedAddressesProps) {
  if (addresses.length === 0) return null
  return (
    <SelectField
      label="Send to"
      blank="New address"
      options={addresses.map((one) => ({ value: one.id, label: nameOf(one) }))}
      value={addresses.find((one) => one.address === address)?.id ?? ''}
      onChange={({ target }) => onChoose(addresses.find(({ id }) => id === target.value))}
    />
  )
}

/** `Savings · TJRabP…TRv8` */
const nameOf = ({ label, address, needsConfirmation }: PaymentMethod) =>
  `${label ? `${label} · ` : ''}${address.slice(0, 6)}…${address.slice(-4)}${needsConfirmation ? ' (not confirmed yet)' : ''}`
