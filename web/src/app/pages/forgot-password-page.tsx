import { useState } from 'react'
import { ForgotForm } from '@/features/auth/components/forgot-form'
import { paths } from '@/lib/paths'
import { SessionHeading, TextLink } from '../session-parts'

export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string>()
  return (
    <>
      <SessionHeading title="Forgot Password">
        <span role="status">
          {sentTo ? (
            <>
              If <strong className="font-semibold text-ink wrap-anywhere">{sentTo}</strong> has an account, a link arrives within minutes. It works
              for 30 minutes.
            </>
          ) : (
            'Enter the email address of your account.'
          )}
        </span>
      </SessionHeading>
      <ForgotForm sentTo={sentTo} onSent={setSentTo} />
      <p className="mt-6 text-center text-sm text-ink-soft">
        <TextLink to={paths.login}>{sentTo ? 'Back to login' : 'Remember your password?'}</TextLink>
      </p>
    </>
  )
}
