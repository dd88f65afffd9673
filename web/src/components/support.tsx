import type { ReactNode } from 'react'
import { brand } from '@/lib/brand'

type SupportLinkProps = { className?: string; children?: ReactNode }

/** Writes to the team that helps members; its address, where nothing else is said. */
export const SupportLink = ({ className = 'font-semibold text-accent-text underline', children = brand.email }: SupportLinkProps) => (
  <a href={`mailto:${brand.email}`} className={className}>
    {children}
  </a>
)

/** A sentence of the server, in which "contact support" leads to the address. */
export function WithSupport({ text }: { text: string }) {
  const [before = '', words, after] = text.split(/(contact support)/i)
  if (!words) return text
  return (
    <>
      <span>{before}</span>
      <SupportLink className="font-semibold underline">{words}</SupportLink>
      <span>{after}</span>
    </>
  )
}
