import { Link } from 'react-router'
import { Notice } from '@/components/notice'
import { SupportLink } from '@/components/support-link'
import { newCase } from '@/lib/new-case'

/** What a freeze means, and the way to object to it [D-M8]. */
export const FrozenNotice = () => (
  <div className="mb-6">
    <Notice tone="caution" title="Your account is frozen">
      You can see everything, but nothing can be moved or changed. To ask why or to object,{' '}
      <Link className="font-semibold text-accent-text underline" to={newCase('account', { kind: 'freeze', reference: '' })}>
        open a case
      </Link>{' '}
      or write to <SupportLink />.
    </Notice>
  </div>
)
