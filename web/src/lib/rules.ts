/** The validation rules that several forms share, as React Hook Form's `register` takes them. */

const EMAIL = /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/

const setValueAs = (text: string) => text.trim()

export const email = { setValueAs, validate: (text = '') => EMAIL.test(text) || 'Invalid email address' }

export const required = (message: string) => ({ setValueAs, validate: (text = '') => text !== '' || message })

export const password = (message: string) => ({ validate: (text = '') => text.length >= 8 || message })
