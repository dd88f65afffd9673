import { useSearchParams } from 'react-router'
import { trails, type AuditFilter } from './api/audit'

/** The filter in the address, by default the wallet's audit log. */
export function useAuditFilter(): AuditFilter {
  const [params] = useSearchParams()
  const [action = '', actor = '', from = '', to = ''] = ['action', 'actor', 'from', 'to'].map((name) => params.get(name) ?? '')
  return { service: trails.find(({ value }) => value === params.get('service'))?.value ?? 'wallet', action, actor, from, to }
}
