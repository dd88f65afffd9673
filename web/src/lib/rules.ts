/** The words of the validation rules that several schemas share. */
import * as z from 'zod/mini'

export const email = z.string().check(z.trim(), z.email('Invalid email address'))

export const required = (message: string) => z.string().check(z.trim(), z.minLength(1, message))

export const password = (message: string) => z.string().check(z.minLength(8, message))
