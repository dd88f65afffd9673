import { ArrowRight } from 'lucide-react'
import { useCallback, useState } from 'react'
import { ButtonLink } from '@/components/button'
import { seekTo } from '@/components/player/media'
import { Transcript } from '@/components/player/transcript'
import { useCues } from '@/components/player/use-cues'
import { usePlayback } from '@/components/player/use-playback'
import { useSource } from '@/components/player/use-source'
import type { Video } from '@/components/player/video'
import { VideoPlayer } from '@/components/player/video-player'
import { Segmented } from '@/components/segmented'
import { paths } from '@/lib/paths'
import type { Lesson, LessonEntry } from '../api/course'
import { useRenewedLesson } from '../api/get-lesson'
import { usePositionReports } from '../use-position-reports'
import { LessonNotes } from './lesson-notes'

type Panel = 'transcript' | 'notes'

const panels: { value: Panel; label: string }[] = [
  { value: 'transcript', label: 'Transcript' },
  { value: 'notes', label: 'Notes' },
]

type VideoLessonProps = { lesson: Lesson; video: Video; next: LessonEntry | undefined }

/** The video of a lesson, with its transcript and the member's notes beside it. */
export function VideoLesson({ lesson, video: newest, next }: VideoLessonProps) {
  // A later answer has other links to the same video: they are needed only when it is loaded again.
  const [video] = useState(newest)
  const [element, setElement] = useState<HTMLVideoElement | null>(null)
  const [panel, setPanel] = useState<Panel>(video.captions.length > 0 ? 'transcript' : 'notes')
  const playback = usePlayback(element, video.duration)
  const source = useSource(element, { url: newest.hls, renew: useRenewedLesson(lesson.id) })
  const cues = useCues(element, video.captions[0]?.language)
  usePositionReports(element, lesson.id)
  const startAt = beginningOf(lesson.progress?.position ?? 0, video.duration)
  const { isStarted, start } = source
  const seek = useCallback(
    (seconds: number) => {
      if (!element) return
      if (isStarted) seekTo(element, seconds)
      else void start(seconds)
    },
    [element, isStarted, start],
  )
  return (
    <div className="grid grid-cols-1 gap-4 xl:grid-cols-[minmax(0,1fr)_19rem]">
      <VideoPlayer
        title={lesson.title}
        video={video}
        element={element}
        onElement={setElement}
        playback={playback}
        source={source}
        startAt={startAt}
        ending={next && !next.locked && <NextLesson next={next} />}
      />
      {/* As high as the video beside it, whatever is inside. */}
      <section aria-label="Transcript and notes" className="relative h-84 rounded-lg border border-line bg-surface shadow-card xl:h-auto">
        <div className="absolute inset-0 flex flex-col">
          <div className="px-3 pt-3">
            {video.captions.length > 0 ? (
              <Segmented legend="Beside the video" value={panel} onChange={setPanel} options={panels} />
            ) : (
              <h2 className="font-semibold">Notes</h2>
            )}
          </div>
          <div className="min-h-0 flex-1">
            {panel === 'transcript' ? (
              <Transcript {...cues} time={playback.time} onSeek={seek} />
            ) : (
              <LessonNotes lessonId={lesson.id} time={isStarted ? playback.time : startAt} onSeek={seek} />
            )}
          </div>
        </div>
      </section>
    </div>
  )
}

const NEAR_THE_END_SECONDS = 5

/** Where to go on: from the start, once it was watched to the end. */
export const beginningOf = (position: number, duration: number) => (position > duration - NEAR_THE_END_SECONDS ? 0 : position)

function NextLesson({ next }: { next: LessonEntry }) {
  return (
    <div className="absolute inset-x-0 top-0 bottom-20 grid place-content-center justify-items-center gap-3 bg-screen/80 p-4 text-center">
      <p className="text-sm text-hero-soft">Next lesson</p>
      <p className="line-clamp-2 max-w-sm font-semibold">{next.title}</p>
      <ButtonLink to={paths.lesson(next.id)} variant="hero">
        Continue
        <ArrowRight aria-hidden className="size-4" />
      </ButtonLink>
    </div>
  )
}
