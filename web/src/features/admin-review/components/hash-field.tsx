import type { ComponentProps } from 'react'
import { TextField } from '@/components/field'
import { hashIn } from '@/lib/pasted-payment'

/** A transaction hash. Of a pasted explorer address or message, the hash stays. */
export function HashField(props: ComponentProps<typeof TextField>) {
  return <TextField autoComplete="off" spellCheck={false} className="font-mono text-sm" clean={hashIn} {...props} />
}
