import { useQueryClient } from '@tanstack/react-query'
import { queryKeys } from './query-keys'

/** Asks for the user again, after something changed the balance or the profile. */
export function useRefreshUser() {
  const client = useQueryClient()
  return () => client.refetchQueries({ queryKey: queryKeys.session })
}
