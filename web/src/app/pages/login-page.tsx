import { Notice } from '@/components/notice'
import { LoginForm } from '@/features/auth/components/login-form'
import { paths } from '@/lib/paths'
import { useReturnPath, useWasLeftAlone } from '../return-path'
import { LegalLinks, SessionHeading, TextLink } from '../session-parts'

export function LoginPage() {
  const wasLeftAlone = useWasLeftAlone()
  return (
    <>
      <SessionHeading title="Welcome Back">Log in to your account.</SessionHeading>
      {wasLeftAlone && (
        <div role="status" className="mb-6">
          <Notice title="You were logged out">The back office was inactive for 15 minutes. Log in to go on.</Notice>
        </div>
      )}
      <LoginForm returnTo={useReturnPath()} />
      <p className="mt-6 text-center text-sm text-ink-soft">
        New here? <TextLink to={paths.register}>Create an account</TextLink>
      </p>
      <LegalLinks before="By logging in you agree to our" />
    </>
  )
}
