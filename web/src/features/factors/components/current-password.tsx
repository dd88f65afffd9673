import { PasswordField } from '@/components/field'

type CurrentPasswordProps = { value: string; onChange: (password: string) => void; error: string | undefined }

/** A member's first factor takes the password. */
export function CurrentPassword({ value, onChange, error }: CurrentPasswordProps) {
  return (
    <PasswordField
      label="Your password"
      autoComplete="current-password"
      autoFocus
      value={value}
      onChange={(event) => onChange(event.target.value)}
      error={error}
    />
  )
}
