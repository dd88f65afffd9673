import { useEffect, useState } from 'react'
import { treasuryKeys } from '@/lib/brand'
import { isSigned, type SignedVersion } from '@/lib/treasury'

/** `unverified`: there is a signature, but this build has no key to verify it with. */
export type Signature = 'checking' | 'signed' | 'unsigned' | 'wrong' | 'unverified'

/** Whether the treasury key signed this version of an address. */
export function useSignature(method: SignedVersion): Signature {
  const { currency, network, address, memo, version, signature } = method
  const content = JSON.stringify([currency, network, address, memo, version, signature])
  const [checked, setChecked] = useState<{ content: string; isGood: boolean }>()
  const isVerified = treasuryKeys.length > 0 && Boolean(signature)
  useEffect(() => {
    if (!isVerified) return
    let isCurrent = true
    const say = (isGood: boolean) => isCurrent && setChecked({ content, isGood })
    void isSigned({ currency, network, address, memo, version, signature }, treasuryKeys, Date.now()).then(say, () => say(false))
    return () => {
      isCurrent = false
    }
  }, [isVerified, content, currency, network, address, memo, version, signature])
  if (!signature) return 'unsigned'
  if (!isVerified) return 'unverified'
  // A verdict counts only for what it was about.
  if (checked?.content !== content) return 'checking'
  return checked.isGood ? 'signed' : 'wrong'
}
