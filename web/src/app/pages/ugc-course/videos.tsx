import { Play } from 'lucide-react'
import { useState } from 'react'
import { videos, type Video } from '@/content/marketing'
import { Band, BandHeading } from '../../public-page'

export function Videos() {
  return (
    <Band aria-labelledby="videos" className="border-y border-line bg-surface py-16 lg:py-24">
      <BandHeading id="videos" title="See how it is taught">
        Short and silent, with captions. Nothing loads before you press play.
      </BandHeading>
      <ul className="mt-10 grid gap-x-5 gap-y-9 md:grid-cols-2 lg:grid-cols-3">
        {videos.map((video) => (
          <li key={video.title}>
            <VideoCard video={video} />
          </li>
        ))}
      </ul>
    </Band>
  )
}

/** A local poster until it is pressed; only then the file or YouTube's cookie-less player is asked for. */
export function VideoCard({ video }: { video: Video }) {
  const [playing, setPlaying] = useState(false)
  const { title, text, length, poster } = video
  return (
    <article aria-label={title}>
      <div className="relative aspect-video overflow-hidden rounded-lg bg-sunken">
        {playing ? <Player video={video} /> : <Poster title={title} poster={poster} length={length} onPlay={() => setPlaying(true)} />}
      </div>
      <h3 className="mt-4 font-semibold">{title}</h3>
      <p className="mt-1 text-ink-soft">{text}</p>
      {'youtubeId' in video && !playing && (
        <p className="mt-1 text-sm text-ink-faint">Plays from YouTube, which can then see that you watch it.</p>
      )}
    </article>
  )
}

type PosterProps = { title: string; poster: string; length: string; onPlay: () => void }

function Poster({ title, poster, length, onPlay }: PosterProps) {
  return (
    <button type="button" aria-label={`Play: ${title}, ${length}`} onClick={onPlay} className="group absolute inset-0">
      <img src={poster} alt="" width="960" height="540" loading="lazy" className="size-full object-cover" />
      <span className="absolute inset-0 grid place-items-center">
        <span className="grid size-16 place-items-center rounded-full bg-hero text-hero-ink shadow-float transition-transform group-hover:scale-105">
          <Play aria-hidden className="size-6 translate-x-0.5 fill-current" />
        </span>
      </span>
      <span className="tabular absolute inset-e-3 bottom-3 rounded-sm bg-hero px-2 py-0.5 text-xs font-semibold text-hero-ink">{length}</span>
    </button>
  )
}

function Player({ video }: { video: Video }) {
  if ('youtubeId' in video) {
    return (
      <iframe
        title={video.title}
        src={`https://www.youtube-nocookie.com/embed/${encodeURIComponent(video.youtubeId)}?autoplay=1&rel=0`}
        allow="autoplay; encrypted-media; picture-in-picture; fullscreen"
        referrerPolicy="strict-origin-when-cross-origin"
        className="absolute inset-0 size-full"
      />
    )
  }
  return (
    <video aria-label={video.title} src={video.file} poster={video.poster} controls autoPlay muted playsInline className="absolute inset-0 size-full" />
  )
}
