import type { ReactNode } from 'react'
import { brand } from '@/lib/brand'

type SupportLinkProps = { className?: string; children?: ReactNode }

/** Writes to the team that helps members; its address, where nothing else is said. */
export const SupportLink = ({ className = 'font-semibold text-accent-text underline', children = brand.email }: SupportLinkProps) => (
  <a href={`mailto:${brand.email}`} className={className}>
    {children}
  </a>
)
