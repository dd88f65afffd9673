import { TextField } from '@/components/field'
import type { PaymentMethod } from '@/lib/api-types'
import type { LastPayoutProps } from '@/lib/last-payout'
import { addressIn } from '@/lib/pasted-payment'
import { useAddressRefusal } from '@/lib/use-address-refusal'
import { MethodGrid, type Methods } from './method-grid'
import { SavedAddresses } from './saved-addresses'
import { WithdrawalSummary } from './withdrawal-summary'

type Props = LastPayoutProps & {
  /** The platform's networks. */
  methods: Methods
  /** The member's own addresses, offered for their network. */
  saved: readonly PaymentMethod[]
}

/** Where the whole balance goes when the account is closed, and what of it arrives [D-M5]. */
export function LastPayoutFields({ balanceCents, value, onChange, errors, methods, saved }: Props) {
  const chosen = methods.data?.find(({ id }) => id === value.method)
  const own = saved.filter(({ currency, network }) => currency === chosen?.currency && network === chosen.network)
  const refusal = useAddressRefusal(value.address, chosen?.network)
  const pay = (to: PaymentMethod | undefined) => onChange({ ...value, address: to?.address ?? '', memo: to?.memo ?? '' })
  return (
    <div className="space-y-4">
      <WithdrawalSummary amountCents={balanceCents} />
      <MethodGrid legend="Network" methods={methods} selected={value.method} onSelect={(method) => onChange({ ...value, method })} error={errors['method']} />
      <SavedAddresses addresses={own} address={value.address} onChoose={pay} />
      <TextField
        label="Wallet address"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="font-mono"
        clean={addressIn}
        hint={chosen ? `Your ${chosen.currency} address on ${chosen.network}. The payout cannot be cancelled, and a payment to a wrong address cannot be recovered.` : 'Your own address on the chosen network'}
        error={errors['address'] ?? refusal}
        value={value.address}
        onChange={({ target }) => onChange({ ...value, address: target.value })}
      />
      <TextField
        label="Memo"
        optional
        autoComplete="off"
        hint="Only if your exchange asks for one."
        error={errors['memo']}
        value={value.memo}
        onChange={({ target }) => onChange({ ...value, memo: target.value })}
      />
    </div>
  )
}
