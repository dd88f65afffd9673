import { RegisterForm } from '@/features/auth/components/register-form'
import { paths } from '@/lib/paths'
import { LegalLinks, SessionHeading, TextLink } from '../session-parts'

export function RegisterPage() {
  return (
    <>
      <SessionHeading title="Create an Account">
        Already have one? <TextLink to={paths.login}>Log in</TextLink>
      </SessionHeading>
      <RegisterForm />
      <LegalLinks before="By registering you agree to our" />
    </>
  )
}
