import { useSearchParams } from 'react-router'
import { trails, type AuditFilter } from './api/audit'

/** The filter in the address, by default everything. */
export function useAuditFilter(): AuditFilter {
  const [params] = useSearchParams()
  const [action = '', actor = '', member = '', from = '', to = ''] = ['action', 'actor', 'member', 'from', 'to'].map((name) => params.get(name) ?? '')
  return { service: trails.find(({ value }) => value === params.get('service'))?.value ?? 'all', action, actor, member, from, to }
}
