import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { Notice } from '@/components/notice'
import type { MailedAct } from '@/features/auth/api/take-back'
import { MailedActForm } from '@/features/auth/components/mailed-act-form'
import { paths } from '@/lib/paths'
// What its button sends is there at the press.
import '@/lib/transport'
import { SessionHeading, TextLink } from '../session-parts'

const texts: Record<MailedAct, { title: string; text: string; label: string; done: string }> = {
  undo: {
    title: 'Undo the Email Change',
    text: 'Your account returns to your old email address. All sessions end, the password stops working, and payouts wait until you have set a new one.',
    label: 'Undo the change',
    done: 'Your old email address is restored',
  },
  'not-me': {
    title: 'This Was Not Me',
    text: 'All sessions of your account end, the password stops working, and payouts wait until you have set a new one.',
    label: 'Secure my account',
    done: 'All sessions have ended',
  },
}

/** The token arrives in the fragment, which no server or log sees. */
const tokenOfFragment = () => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? ''

/** The target of the links in security mails [D-A1] [D-A6]. */
export function MailedActPage() {
  const act: MailedAct = useLocation().pathname.startsWith('/undo') ? 'undo' : 'not-me'
  const [token] = useState(tokenOfFragment)
  useEffect(() => {
    // Out of the address bar and the history, where others could find it.
    if (window.location.hash) window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [])
  const { title, text, label, done } = texts[act]
  return (
    <>
      <SessionHeading title={title}>{text}</SessionHeading>
      {token ? (
        <MailedActForm act={act} token={token} label={label} done={done} />
      ) : (
        <Notice tone="caution" title="This page needs the link from your email">
          Open the link in the email about your account. If someone else is using your account and you cannot find that email,{' '}
          <TextLink to={paths.forgotPassword}>set a new password</TextLink>: that also ends every session.
        </Notice>
      )}
      <p className="mt-6 text-center text-sm text-ink-soft">
        <TextLink to={paths.forgotPassword}>Set a new password</TextLink>
      </p>
    </>
  )
}
