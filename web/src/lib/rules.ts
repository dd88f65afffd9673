/** The validation rules that several forms share, as React Hook Form's `register` takes them. */
import { emailIn, phoneIn } from './pasted'

/** Only the shape: the server decides. */
const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/

/** An email that may be missing. */
export const anyEmail = { setValueAs: (text = '') => emailIn(text) }

export const email = { ...anyEmail, validate: (text = '') => EMAIL.test(text) || 'Invalid email address' }

export const required = (message: string) => ({ setValueAs: (text = '') => text.trim(), validate: (text = '') => text !== '' || message })

export const anyPhone = { setValueAs: (text = '') => phoneIn(text) }

export const phone = (message: string) => ({ ...required(message), ...anyPhone })

export const password = (message: string) => ({ validate: (text = '') => text.length >= 8 || message })
