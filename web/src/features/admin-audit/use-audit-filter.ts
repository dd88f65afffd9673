import { useSearchParams } from 'react-router'
import { trails, type AuditFilter } from './api/audit'

/** The filter that the address states; the trail of the money where it states none. */
export function useAuditFilter(): AuditFilter {
  const [params] = useSearchParams()
  const [action = '', actor = '', from = '', to = ''] = ['action', 'actor', 'from', 'to'].map((name) => params.get(name) ?? '')
  return { service: trails.find((trail) => trail === params.get('service')) ?? 'wallet', action, actor, from, to }
}
