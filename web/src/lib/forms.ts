/** What every form shares: the way to its schema and the way server errors reach their fields. */
import type { FieldPath, FieldValues, Resolver, UseFormSetError } from 'react-hook-form'
import { toApiError } from './api-error'

/** Loads the schema (and with it the validation library) at the first validation, not with the page. */
export function lazyResolver<T extends FieldValues>(load: () => Promise<Resolver<T>>): Resolver<T> {
  return async (values, context, options) => (await load())(values, context, options)
}

/** Puts the server's field errors under the fields of that name. */
export function showFieldErrors<T extends FieldValues>(
  error: unknown,
  setError: UseFormSetError<T>,
  names: readonly FieldPath<T>[],
) {
  const { fields } = toApiError(error)
  for (const name of names) {
    const message = fields[name]
    if (message) setError(name, { type: 'server', message }, { shouldFocus: true })
  }
}
