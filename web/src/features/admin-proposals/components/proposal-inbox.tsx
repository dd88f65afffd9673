import { CircleCheckBig } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Confirmation } from '@/components/confirmation'
import { Segmented } from '@/components/segmented'
import { EmptyState } from '@/components/states'
import { useMember } from '@/lib/session'
import { useDecideProposal, useProposals } from '../api/proposals'
import { useStaffName } from '@/features/admin/api/staff'
import type { Proposal } from '@/features/admin/api/types'
import { formatMoment } from '@/lib/dates'
import { useMayDecide } from '@/features/admin/permissions'
import { useSubjects } from '../use-subjects'
import { changesOf, titleOf } from '@/features/admin/proposals'
import { withParam } from '@/features/admin/use-typed-param'
import { Age } from '@/features/admin/components/age'
import { CsvButton } from '@/features/admin/components/csv-button'
import { ChangeList } from './change-list'
import { DocumentLink } from '@/features/admin/components/document-link'
import { Loaded } from '@/features/admin/components/loaded'
import { MoreButton } from '@/components/more-button'

type Status = Proposal['status']

/** Who decides in the name of the service. */
const NOBODY = '00000000-0000-0000-0000-000000000000'

const statuses: readonly { value: Status; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'confirmed', label: 'Confirmed' },
  { value: 'rejected', label: 'Rejected' },
  { value: 'expired', label: 'Expired' },
]

const tones = { open: 'neutral', confirmed: 'positive', rejected: 'negative', expired: 'neutral' } as const

/** Changes that wait for a second person, of every part of the product [D-R2] [D-O4]. */
export function ProposalInbox() {
  const [params, setParams] = useSearchParams()
  const status = statuses.find(({ value }) => value === params.get('status'))?.value ?? 'open'
  const setStatus = (value: Status) => setParams((now) => withParam(now, 'status', value === 'open' ? '' : value), { replace: true })
  const query = useProposals(status)
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Segmented legend="Status" options={statuses} value={status} onChange={setStatus} />
        <CsvButton url="/admin/proposals" filter={{ status }} name={`solvane-proposals-${status}`} aria-label="Proposals as CSV" />
      </div>
      <Loaded query={{ ...query, data: query.proposals }} label="Loading the proposals" count={2} skeleton="h-40">
        {(proposals) =>
          proposals.length === 0 ? (
            <Card>
              <EmptyState icon={CircleCheckBig} title={status === 'open' ? 'No open proposals' : 'No proposals'} />
            </Card>
          ) : (
            <Groups proposals={proposals} status={status} />
          )
        }
      </Loaded>
      <MoreButton query={query} />
    </div>
  )
}

/** What the caller may decide stands first, the longest waiting at the top; then what they proposed, and what others decide. */
function Groups({ proposals, status }: { proposals: readonly Proposal[]; status: Status }) {
  const me = useMember()
  const mayDecide = useMayDecide()
  const isForMe = (one: Proposal) => one.status === 'open' && one.proposedBy !== me.id && mayDecide(one)
  const isOwn = (one: Proposal) => one.status === 'open' && one.proposedBy === me.id
  const groups = [
    { name: 'For you', some: proposals.filter(isForMe).toReversed() },
    { name: 'Proposed by you', some: proposals.filter(isOwn) },
    { name: 'For others', some: proposals.filter((one) => !isForMe(one) && !isOwn(one)) },
  ].filter(({ some }) => some.length > 0)
  return (
    <div className="space-y-6">
      {groups.map(({ name, some }) => (
        <Group key={name} name={status === 'open' ? name : undefined} proposals={some} />
      ))}
    </div>
  )
}
function Group({ name, proposals }: { name: string | undefined; proposals: readonly Proposal[] }) {
  const heading = useId()
  return (
    <section aria-labelledby={name && heading}>
      {name && (
        <h2 id={heading} className="mb-2 text-base font-semibold">
          {`${name} (${proposals.length})`}
        </h2>
      )}
      <Cards proposals={proposals} />
    </section>
  )
}

const Cards = ({ proposals }: { proposals: readonly Proposal[] }) => (
  <ul className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
    {proposals.map((proposal) => (
      <li key={proposal.id}>
        <ProposalCard proposal={proposal} />
      </li>
    ))}
  </ul>
)

/** What would change, from what, by whom; with the decision for those who may take it. */
export function ProposalCard({ proposal }: { proposal: Proposal }) {
  const staffName = useStaffName()
  const subjectOf = useSubjects()
  const subject = subjectOf(proposal)
  return (
    <Card className="p-4 sm:p-5">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <h2 className="text-base font-semibold">{titleOf(proposal.kind)}</h2>
          {subject && <div className="text-sm">{subject}</div>}
        </div>
        {proposal.status === 'open' ? (
          <span className="text-sm text-ink-faint">waits {proposal.proposedAt && <Age since={proposal.proposedAt} />}</span>
        ) : (
          <Badge tone={tones[proposal.status]}>{statuses.find(({ value }) => value === proposal.status)?.label}</Badge>
        )}
      </header>
      <ChangeList proposal={proposal} />
      <DocumentLink proposal={proposal} />
      <p className="mt-3 text-sm text-ink-faint">
        Proposed by {staffName(proposal.proposedBy, proposal.proposedByName)}
        {proposal.proposedAt && `, ${formatMoment(proposal.proposedAt)}`}
        {proposal.decidedBy === NOBODY && '; cancelled because its proposer no longer has the permission'}
        {proposal.decidedBy &&
          proposal.decidedBy !== NOBODY &&
          `; ${proposal.status} by ${staffName(proposal.decidedBy, proposal.decidedByName)}`}
        {proposal.status === 'open' && proposal.expiresAt && `; expires ${formatMoment(proposal.expiresAt)}`}
      </p>
      {proposal.status === 'open' && <Verdict proposal={proposal} subject={subject} />}
    </Card>
  )
}

/** What changes, as the question repeats it. */
const factsOf = (proposal: Proposal) =>
  changesOf(proposal).map(({ label, before, after, isExact }) => ({ label, value: before ? `${before} → ${after}` : after, isExact }))

function Verdict({ proposal, subject }: { proposal: Proposal; subject: ReactNode }) {
  const me = useMember()
  const mayDecide = useMayDecide()
  const decide = useDecideProposal(proposal.id)
  const [asking, setAsking] = useState(false)
  if (!mayDecide(proposal)) return null
  const isOwn = proposal.proposedBy === me.id
  const { blocker } = proposal
  const why = isOwn ? 'You proposed this. Another person with your role has to confirm it.' : blocker && `It cannot be confirmed now: ${blocker.message}`
  const whyId = `why-${proposal.id}`
  return (
    <div className="mt-4">
      <div className="flex flex-wrap gap-3">
        <Button
          size="sm"
          disabled={Boolean(why)}
          aria-describedby={why ? whyId : undefined}
          onClick={() => setAsking(true)}
        >
          Confirm
        </Button>
        <Button
          size="sm"
          variant="danger"
          onClick={() => decide.mutateAsync('reject')}
        >
          {isOwn ? 'Withdraw' : 'Reject'}
        </Button>
      </div>
      <Confirmation
        act="POST /admin/proposals/{id}/confirm"
        facts={asking ? { title: titleOf(proposal.kind), facts: [...(subject ? [{ label: 'About', value: subject }] : []), ...factsOf(proposal)] } : undefined}
        onConfirm={() => decide.mutateAsync('confirm', { onSettled: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      />
      {why && (
        <p id={whyId} className={isOwn ? 'mt-2 text-sm text-ink-faint' : 'mt-2 text-sm text-caution'}>
          {why}
        </p>
      )}
    </div>
  )
}
