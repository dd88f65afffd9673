import { useEffect, useState } from 'react'
import { Notice } from '@/components/notice'
import { ResetForm } from '@/features/auth/components/reset-form'
import { paths } from '@/lib/paths'
import { SessionHeading, TextLink } from '../session-parts'

/** The reset token and the email it was sent to arrive in the fragment, which no server or log sees. */
function linkOfFragment() {
  const parts = new URLSearchParams(window.location.hash.slice(1))
  return { token: parts.get('token') ?? '', email: parts.get('email') ?? undefined }
}

export function ResetPasswordPage() {
  const [{ token, email }] = useState(linkOfFragment)
  useEffect(() => {
    // Out of the address bar and the history, where others could find it.
    if (window.location.hash) window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [])
  return (
    <>
      <SessionHeading title="Reset Password">Choose a new password for your account.</SessionHeading>
      {!token && (
        <div className="mb-6">
          <Notice tone="caution" title="This page needs the link from your email">
            Open the reset link we emailed you, or <TextLink to={paths.forgotPassword}>request a new one</TextLink>.
          </Notice>
        </div>
      )}
      <ResetForm token={token} email={email} />
      <p className="mt-6 text-center text-sm text-ink-soft">
        <TextLink to={paths.login}>Back to login</TextLink>
      </p>
    </>
  )
}
