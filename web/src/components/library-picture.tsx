/** A picture of the course's own files within a text. */
export const LibraryPicture = ({ src, alt }: { src: string; alt: string }) => (
  <img src={src} alt={alt} loading="lazy" className="my-6 h-auto max-w-full rounded-lg" />
)
