import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { VerifyForm } from '@/features/auth/components/verify-form'
import { notify } from '@/lib/notify'
import { paths } from '@/lib/paths'
import { SessionHeading, TextLink } from '../session-parts'

export function VerifyPage() {
  const [query] = useSearchParams()
  const email = query.get('email')
  useEffect(() => {
    if (!email) notify.error('Email not found')
  }, [email])
  return (
    <>
      <SessionHeading title="Verify Your Email">
        {email ? (
          <>
            We sent a code to <strong className="font-semibold break-all text-ink">{email}</strong>. It is valid for 10 minutes.
          </>
        ) : (
          'Open this page from the registration or the login, so that we know your email.'
        )}
      </SessionHeading>
      <VerifyForm email={email} />
      <p className="mt-4 text-center text-sm text-ink-soft">
        <TextLink to={paths.login}>Back to login</TextLink>
      </p>
    </>
  )
}
