import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form'
import { toApiError } from './api-error'

/** Puts the server's field errors under the fields of that name. */
export function showFieldErrors<T extends FieldValues>(
  error: unknown,
  setError: UseFormSetError<T>,
  names: readonly FieldPath<T>[],
) {
  const { fields } = toApiError(error)
  for (const name of names) {
    const message = fields[name]
    if (message) setError(name, { type: 'server', message })
  }
}
