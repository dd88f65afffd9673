import { useState } from 'react'
import defaultAvatar from '@/assets/default-avatar.svg?inline'
import { cx } from './cx'

type AvatarProps = {
  src: string | null | undefined
  /** Omit it where the name stands beside the picture. */
  name?: string
  className?: string
}

/** The member's photo, or the default avatar when there is none or it cannot be loaded. */
export function Avatar({ src, name, className }: AvatarProps) {
  const [broken, setBroken] = useState<string | null>(null)
  const shown = src && src !== broken ? src : defaultAvatar
  return (
    <img
      src={shown}
      alt={name ? `Photo of ${name}` : ''}
      onError={() => setBroken(src ?? null)}
      className={cx('shrink-0 rounded-full bg-sunken object-cover', className ?? 'size-9')}
    />
  )
}
