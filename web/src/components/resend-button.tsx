import { useEffect, useState } from 'react'
import { Button } from './button'

/** For so long after a mail the server sends no other one. */
const PAUSE_SECONDS = 60

type ResendButtonProps = {
  label: string
  /** Requests another mail. */
  onResend: () => unknown
  busyLabel?: string
  /** When the last mail was sent, as far as the page knows. */
  sentAt?: number
}

/** Requests another mail, once a minute: until then it counts down. */
export function ResendButton({ label, onResend, busyLabel, sentAt = 0 }: ResendButtonProps) {
  const [until, setUntil] = useState(sentAt + PAUSE_SECONDS * 1000)
  const [now, setNow] = useState(() => Date.now())
  const left = Math.max(0, Math.ceil((until - now) / 1000))
  const isWaiting = left > 0
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isWaiting])
  const press = async () => {
    await onResend()
    setNow(Date.now())
    setUntil(Date.now() + PAUSE_SECONDS * 1000)
  }
  return (
    <Button variant="ghost" size="sm" busyLabel={busyLabel} disabled={isWaiting} onClick={press}>
      {isWaiting ? `${label} in ${left} s` : label}
    </Button>
  )
}
