import { createContext, useContext, useEffect, useImperativeHandle, useRef, useState, type ComponentProps, type SubmitEvent } from 'react'
import { TOAST_MS } from '@/lib/notify'
import { hearRefusals } from '@/lib/query-client'
import { useAct } from './hold'

const Sending = createContext(false)

/** Whether the form around is being sent. */
export const useSending = () => useContext(Sending)

const WRONG = ':is(input, select, textarea)[aria-invalid="true"], fieldset[aria-invalid="true"] input'

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & {
  /** The form is busy and cannot be sent again until the returned promise settles [AUTH-17]. */
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => unknown
}

/**
 * A form that is sent once at a time, and focuses its first invalid field. What a toast says about its refusal stays below it
 * when the toast has gone.
 */
export function Form({ onSubmit, children, ref, ...rest }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  useImperativeHandle<HTMLFormElement | null, HTMLFormElement | null>(ref, () => form.current)
  const { busy, run } = useAct()
  const [tries, setTries] = useState(0)
  const [refusal, setRefusal] = useState<string>()
  const [isToastGone, setIsToastGone] = useState(false)
  useEffect(() => {
    if (refusal === undefined) return
    const timer = setTimeout(() => setIsToastGone(true), TOAST_MS)
    return () => clearTimeout(timer)
  }, [refusal, tries])
  useEffect(() => {
    if (tries > 0) form.current?.querySelector<HTMLElement>(WRONG)?.focus()
  }, [tries])
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    setRefusal(undefined)
    setIsToastGone(false)
    const heard = hearRefusals()
    try {
      await run(() => onSubmit(event))
    } finally {
      setRefusal(heard())
    }
    setTries((count) => count + 1)
  }
  return (
    <form noValidate {...rest} ref={form} aria-busy={busy || undefined} onSubmit={(event) => void submit(event)}>
      <Sending value={busy}>{children}</Sending>
      {refusal !== undefined && isToastGone && <p className="col-span-full text-sm text-negative">{refusal}</p>}
    </form>
  )
}
