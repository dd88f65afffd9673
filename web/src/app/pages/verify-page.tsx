import { useEffect } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { VerifyForm } from '@/features/auth/components/verify-form'
import { notify } from '@/lib/notify'
import { paths } from '@/lib/paths'
import { SessionHeading, TextLink } from '../session-parts'

export function VerifyPage() {
  const [query] = useSearchParams()
  const email = query.get('email')
  const sentAt = (useLocation().state as { codeSentAt?: number } | null)?.codeSentAt
  useEffect(() => {
    if (!email) notify.error('Email not found')
  }, [email])
  return (
    <>
      <SessionHeading title="Verify Your Email">
        {email ? (
          <>
            We sent a code to <strong className="font-semibold text-ink wrap-anywhere">{email}</strong>. It is valid for 10 minutes.
          </>
        ) : (
          'Register or log in to open this page, so that we know your email address.'
        )}
      </SessionHeading>
      <VerifyForm email={email} sentAt={sentAt} />
      <p className="mt-4 text-center text-sm text-ink-soft">
        <TextLink to={paths.login}>Back to login</TextLink>
      </p>
    </>
  )
}
