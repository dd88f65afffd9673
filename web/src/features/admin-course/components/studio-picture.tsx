import { LibraryPicture } from '@/components/library-picture'
import { useMediaFile } from '../api/media'

/** A picture of the library in the preview of a text. One that is not there, or not ready, is the words that stand for it. */
export function StudioPicture({ id, alt }: { id: string; alt: string }) {
  const { data: media } = useMediaFile(id)
  return media?.url && media.type?.startsWith('image/') ? <LibraryPicture src={media.url} alt={alt} /> : alt
}

export const studioPicture = (id: string, alt: string) => <StudioPicture id={id} alt={alt} />
