import { MessageSquare } from 'lucide-react'
import { Link } from 'react-router'
import { Badge } from '@/components/badge'
import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { MoreButton } from '@/components/more-button'
import { Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import type { Case } from '@/lib/api-types'
import { formatMoment } from '@/lib/dates'
import { paths } from '@/lib/paths'
import { useCases } from '../api/cases'
import { states, subjectText, topics } from '@/lib/case-words'

/** The member's cases, newest first [D-M8]. */
export function CaseList() {
  const query = useCases()
  const { cases, isPending, isFetching, error, refetch } = query
  return (
    <Card className="overflow-hidden">
      {isPending ? (
        <div className="space-y-3 p-5 sm:p-6">
          <Skeletons count={4} className="h-14" label="Loading your cases" />
        </div>
      ) : !cases ? (
        <ErrorPanel error={error} onRetry={() => void refetch()} busy={isFetching} />
      ) : cases.length === 0 ? (
        <EmptyState
          icon={MessageSquare}
          title="No cases"
          description="Ask us anything, object to a decision, or complain: we answer here."
          action={<ButtonLink to={paths.help} variant="secondary">Read the help first</ButtonLink>}
        />
      ) : (
        <ul className="divide-y divide-line">
          {cases.map((one) => (
            <CaseRow key={one.id} case={one} />
          ))}
        </ul>
      )}
      <MoreButton query={query} />
    </Card>
  )
}

function CaseRow({ case: { id, number, topic, subject, state, complaintAt, updatedAt } }: { case: Case }) {
  const { label, tone } = states[state]
  return (
    <li className="relative flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-5 py-4 hover:bg-sunken sm:px-6">
      <span className="min-w-0">
        <Link to={`${paths.cases}/${id}`} className="font-medium text-ink after:absolute after:inset-0">
          {`Case ${number}: ${topics[topic]}`}
        </Link>
        <span className="block text-sm wrap-anywhere text-ink-faint">
          {[subject && subjectText(subject), complaintAt && 'Complaint', formatMoment(updatedAt)].filter(Boolean).join(' · ')}
        </span>
      </span>
      <Badge tone={tone} dot>
        {label}
      </Badge>
    </li>
  )
}
