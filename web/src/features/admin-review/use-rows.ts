import { useSearchParams } from 'react-router'
import { useMember } from '@/lib/session'
import { useNow } from '@/features/admin/use-now'
import { useWaiting } from './api/list-waiting'
import { useVerdicts } from './api/verdicts'
import { filtered, joined } from './views'

/** The rows of the queue as the address filters them. */
export function useRows() {
  const [search] = useSearchParams()
  const query = useWaiting()
  const { verdicts, isComplete } = useVerdicts()
  const { id: staffId } = useMember()
  const now = useNow()
  const all = query.data && joined(query.data, verdicts)
  const filter = { kind: search.get('kind') ?? undefined, view: search.get('view') ?? 'all', network: search.get('network') ?? '' }
  const networks = [...new Set(query.data?.flatMap(({ method }) => method?.network ?? []))].sort()
  const isFiltered = filter.view !== 'all' || filter.network !== ''
  const rows = all && filtered(all, filter, { staffId, now })
  // A view is empty once every verdict is known.
  const isPending = query.isPending || (!isComplete && filter.view !== 'all')
  return { ...query, isPending, networks, isFiltered, rows }
}
