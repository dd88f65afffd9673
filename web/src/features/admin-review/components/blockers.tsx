import { Notice } from '@/components/notice'
import type { Review } from '@/features/admin/api/types'

type BlockersProps = { id?: string; title: string; blockers: NonNullable<Review['blockers']> }

/** What an act would be refused with, before anybody presses it [U8]. */
export function Blockers({ id, title, blockers }: BlockersProps) {
  return (
    <div id={id}>
      <Notice tone="caution" title={title}>
        <ul>
          {blockers.map(({ code, message }) => (
            <li key={code}>{message}</li>
          ))}
        </ul>
      </Notice>
    </div>
  )
}
