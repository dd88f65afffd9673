import { cx } from '@/components/cx'
import studioArt from '@/content/artwork/studio.svg?inline'

export function StudioArt({ className }: { className: string }) {
  return (
    <img
      src={studioArt}
      alt="Illustration: a creator at a table by a window holds a bottle while a phone on a tripod records her."
      width="900"
      height="960"
      className={cx('w-full object-cover', className)}
    />
  )
}
