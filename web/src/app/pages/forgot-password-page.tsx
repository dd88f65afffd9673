import { ForgotForm } from '@/features/auth/components/forgot-form'
import { paths } from '@/lib/paths'
import { SessionHeading, TextLink } from '../session-parts'

export function ForgotPasswordPage() {
  return (
    <>
      <SessionHeading title="Forgot Password">Enter the email address of your account.</SessionHeading>
      <ForgotForm />
      <p className="mt-6 text-center text-sm text-ink-soft">
        <TextLink to={paths.login}>Remember your password?</TextLink>
      </p>
    </>
  )
}
