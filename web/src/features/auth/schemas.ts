/** The rules of the session forms, with the specification's messages [AUTH-05, AUTH-07 to AUTH-10]. */
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import * as z from 'zod/mini'
import { email, password, required } from '@/lib/rules'

const newPassword = password('Password must be at least 8 characters long')

const login = z.object({ email, password: newPassword, totp: z.optional(z.string()) })

const registration = z.object({
  name: required('Name is required'),
  email,
  phone: required('Phone number is required'),
  country: required('Country is required'),
  password: newPassword,
})

const forgot = z.object({ email })

const reset = z.object({ password: newPassword, confirmPassword: newPassword }).check(
  z.refine((values) => values.password === values.confirmPassword, {
    path: ['confirmPassword'],
    message: 'Passwords do not match',
  }),
)

const verification = z.object({ otp: z.string().check(z.regex(/^[0-9]{6}$/, 'OTP must be 6 digits')) })

export type LoginValues = z.infer<typeof login>
export type RegistrationValues = z.infer<typeof registration>
export type ForgotValues = z.infer<typeof forgot>
export type ResetValues = z.infer<typeof reset>
export type VerificationValues = z.infer<typeof verification>

export const loginResolver = standardSchemaResolver(login)
export const registrationResolver = standardSchemaResolver(registration)
export const forgotResolver = standardSchemaResolver(forgot)
export const resetResolver = standardSchemaResolver(reset)
export const verificationResolver = standardSchemaResolver(verification)
