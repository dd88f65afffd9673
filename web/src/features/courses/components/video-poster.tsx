import { shapeOf, type Video } from '@/components/player/video'

/** Keeps the place of the player until its code is here, with the same picture. */
export function VideoPoster({ video }: { video: Pick<Video, 'poster' | 'width' | 'height'> }) {
  return (
    <div className="grid grid-cols-1 gap-4 xl:grid-cols-[minmax(0,1fr)_19rem]">
      <div role="status" style={shapeOf(video)} className="mx-auto w-full overflow-hidden rounded-lg bg-screen">
        <span className="sr-only">Loading the video</span>
        <img src={video.poster} alt="" className="size-full object-contain" />
      </div>
      <div className="h-84 rounded-lg border border-line bg-surface xl:h-auto" />
    </div>
  )
}
