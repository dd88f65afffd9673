import { LoginForm } from '@/features/auth/components/login-form'
import { paths } from '@/lib/paths'
import { useReturnPath } from '../return-path'
import { LegalLinks, SessionHeading, TextLink } from '../session-parts'

export function LoginPage() {
  return (
    <>
      <SessionHeading title="Welcome Back">Log in to your account.</SessionHeading>
      <LoginForm returnTo={useReturnPath()} />
      <p className="mt-6 text-center text-sm text-ink-soft">
        New here? <TextLink to={paths.register}>Create an account</TextLink>
      </p>
      <LegalLinks before="By logging in you agree to our" />
    </>
  )
}
