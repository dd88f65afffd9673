import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useMemberPage } from '@/features/admin/api/members'
import { useAllPlans } from '@/features/admin/api/plans'
import { usePlatformMethods } from '@/features/admin/api/platform-methods'
import type { MovementKind, Proposal } from '@/features/admin/api/types'
import { movementKinds } from '@/features/admin/movements'
import { adminPaths } from '@/features/admin/paths'

const link = 'font-medium text-accent-text hover:underline'

const isMovement = (kind: string): kind is MovementKind => Object.hasOwn(movementKinds, kind)

/** What a proposal is about, with the way there: a plan, a method, a member. */
export function useSubjects() {
  const { data: plans } = useAllPlans()
  const { data: methods } = usePlatformMethods()
  return ({ kind, subjectId, change }: Pick<Proposal, 'kind' | 'subjectId' | 'change'>): ReactNode => {
    if (!subjectId) return null
    const movement = isMovement(kind) ? movementKinds[kind] : undefined
    if (kind === 'refund' && 'transactionId' in change) return <MemberLink id={subjectId} />
    // What moves the operator's own money is about no member and no plan.
    if (movement && !movement.plan) return null
    if (movement || kind.startsWith('plan.')) {
      const title = plans?.find(({ id }) => id === subjectId)?.title
      return (
        <Link to={adminPaths.plan(subjectId)} className={link}>
          {title ?? 'Plan'}
        </Link>
      )
    }
    if (kind.startsWith('payment_method.')) {
      const method = methods?.find(({ current }) => current?.id === subjectId)?.current
      return (
        <Link to={adminPaths.methods} className={link}>
          {method ? `${method.currency} on ${method.network}` : 'Platform method'}
        </Link>
      )
    }
    if (kind.includes('.')) return null
    return <MemberLink id={subjectId} />
  }
}

/** Whose balance it is must be plain to who confirms. */
function MemberLink({ id }: { id: string }) {
  const { data } = useMemberPage(id)
  return (
    <Link to={adminPaths.member(id)} className={link}>
      {data ? `${data.member.name}, ${data.member.email}` : 'Member page'}
    </Link>
  )
}
