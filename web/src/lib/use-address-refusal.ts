import { useEffect, useState } from 'react'
import { addressIn } from './pasted-payment'

type Check = (address: string, network: string) => string | undefined

/** What is wrong with an address while it is typed; the checksums are loaded when the first one is. */
export function useAddressRefusal(typed: string, network: string | undefined): string | undefined {
  const [check, setCheck] = useState<Check>()
  const isTyped = typed !== ''
  useEffect(() => {
    if (!isTyped) return
    let isOver = false
    // Without them the server alone decides.
    import('./address-check').then(({ addressRefusal }) => isOver || setCheck(() => addressRefusal), () => undefined)
    return () => {
      isOver = true
    }
  }, [isTyped])
  // Nobody has finished an address of fewer characters.
  const address = addressIn(typed)
  return check && network && address.length >= 26 ? check(address, network) : undefined
}
