import { KeyRound } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '@/components/button'
import { messageOf } from '@/lib/api-error'
import { loadChunk } from '@/lib/load-chunk'
import { useBeginSession, type LoginAnswer } from '../api/log-in'

const load = () => loadChunk(() => import('../api/passkey-login'))

/** A passkey in place of email and password: by the button, or chosen from the suggestions of the email field [D-A3]. */
export function PasskeyLogin({ onLoggedIn }: { onLoggedIn: (answer: LoginAnswer) => void }) {
  const beginSession = useBeginSession()
  const [refusal, setRefusal] = useState<string>()
  const [tries, setTries] = useState(0)
  const suggestion = useRef<AbortController>(null)

  const enter = (answer: LoginAnswer) => {
    beginSession(answer)
    onLoggedIn(answer)
  }

  const enterSuggested = useEffectEvent(enter)
  useEffect(() => {
    const controller = new AbortController()
    suggestion.current = controller
    load()
      .then(({ suggestPasskeys }) => suggestPasskeys(controller.signal))
      .then((answer) => answer && enterSuggested(answer))
      .catch((error: unknown) => setRefusal(messageOf(error)))
    return () => controller.abort()
  }, [tries])

  const logIn = async () => {
    // A browser asks for one passkey at a time.
    suggestion.current?.abort()
    setRefusal(undefined)
    try {
      const { logInByPasskey } = await load()
      enter(await logInByPasskey())
    } catch (error) {
      setRefusal(messageOf(error))
      setTries((count) => count + 1)
    }
  }

  return (
    <div>
      <Button variant="secondary" size="lg" wide icon={<KeyRound aria-hidden className="size-5" />} busyLabel="Waiting for your passkey..." onClick={logIn}>
        Log in with a passkey
      </Button>
      <p role="alert" className="mt-1.5 text-sm text-negative empty:mt-0">
        {refusal}
      </p>
    </div>
  )
}
