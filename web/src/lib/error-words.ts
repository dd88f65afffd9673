/** The app's texts of errors, in a file of their own that no page waits for. */
import { errorTexts } from '@/content/error-texts'
import { putIntoWords, type ErrorBody } from './api-error'

const texts: Partial<Record<string, string>> = errorTexts

/** A refusal in the app's words for its code, also at the field that says the same; in the server's where the app has none. */
export function worded(body: ErrorBody): ErrorBody {
  const { code, message, errors } = body
  const text = code && texts[code]
  if (!text) return body
  const said = errors && Object.entries(errors).map(([field, sentence]) => [field, sentence === message ? text : sentence])
  return { ...body, message: text, ...(said ? { errors: Object.fromEntries(said) as Record<string, string> } : {}) }
}

putIntoWords(worded)
