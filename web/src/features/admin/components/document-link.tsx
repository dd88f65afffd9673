import { ExternalLink } from 'lucide-react'
import { buttonClass } from '@/components/button'
import type { Proposal } from '../api/types'

/** The stored document that proves what a proposal says, for the person who confirms it and for later [D-T1]. */
export function DocumentLink({ proposal: { documentLink, change } }: { proposal: Pick<Proposal, 'documentLink' | 'change'> }) {
  if (!documentLink) return null
  const name = change?.['document']
  return (
    <a href={documentLink} target="_blank" rel="noopener noreferrer" className={buttonClass({ variant: 'secondary', size: 'sm' }, 'mt-3 max-w-full')}>
      <span className="truncate">{typeof name === 'string' ? `Open ${name}` : 'Open the document'}</span>
      <ExternalLink aria-hidden className="size-4 shrink-0" />
      <span className="sr-only">(opens in a new tab)</span>
    </a>
  )
}
