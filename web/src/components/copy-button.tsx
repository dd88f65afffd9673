import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { notify } from '@/lib/notify'
import { Button } from './button'

type CopyButtonProps = { text: string; success?: string; failure?: string; label?: string }

/** Copies a text and reports the result in a toast. */
export function CopyButton({
  text,
  success = 'Copied',
  failure = 'Could not copy. Select the text instead.',
  label = 'Copy',
}: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
      notify.success(success)
    } catch {
      notify.error(failure)
    }
  }

  const Icon = copied ? Check : Copy
  return (
    <Button variant="secondary" size="sm" onClick={() => void copy()} icon={<Icon aria-hidden className="size-4" />}>
      {label}
    </Button>
  )
}
