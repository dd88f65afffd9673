import { cx } from '@/components/cx'
import { useProposals } from '../api/proposals'
import type { Proposal } from '@/features/admin/api/types'
import { ProposalCard } from './proposal-inbox'

/** The proposals that wait about the things of one page, above them; nothing when there are none. */
export function OpenProposals({ about }: { about: (proposal: Proposal) => boolean }) {
  const { proposals } = useProposals('open')
  const shown = proposals?.filter(about) ?? []
  if (shown.length === 0) return null
  return (
    <ul aria-label="Open proposals" className={cx('grid items-start gap-4', shown.length > 1 && 'xl:grid-cols-2')}>
      {shown.map((proposal) => (
        <li key={proposal.id}>
          <ProposalCard proposal={proposal} />
        </li>
      ))}
    </ul>
  )
}
