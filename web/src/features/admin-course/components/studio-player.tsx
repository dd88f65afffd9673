import { useState } from 'react'
import { usePlayback } from '@/components/player/use-playback'
import { useSource } from '@/components/player/use-source'
import type { Video } from '@/components/player/video'
import { VideoPlayer } from '@/components/player/video-player'
import { useRenewedMedia } from '../api/media'
import type { Media } from '../api/types'

/** A video that is ready, as members see it. */
export function StudioPlayer({ media, title }: { media: Media; title: string }) {
  const { id, hls = '', poster = '', duration = 0, width = 16, height = 9, preview, captions } = media
  // A later answer has other links to the same video, but perhaps other captions.
  const [links] = useState({ poster, preview })
  const video: Video = { ...links, hls, duration, width, height, captions }
  const [element, setElement] = useState<HTMLVideoElement | null>(null)
  const playback = usePlayback(element, duration)
  const source = useSource(element, { url: hls, renew: useRenewedMedia(id) })
  return <VideoPlayer title={title} video={video} element={element} onElement={setElement} playback={playback} source={source} startAt={0} />
}
