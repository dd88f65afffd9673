/** A video as the API describes it; its links are signed for the session and live for hours. */
import type { components } from '@/lib/api-schema'

type Schemas = components['schemas']

export type Video = Pick<Schemas['VideoEntry'], 'hls' | 'poster' | 'duration' | 'width' | 'height' | 'preview' | 'captions'>
export type Captions = Schemas['CaptionsEntry']
export type Strip = Schemas['PreviewStrip']

/** The video's own shape, never higher than most of the window: what a phone filmed upright is shown upright. */
export const shapeOf = ({ width, height }: Pick<Video, 'width' | 'height'>) => ({
  aspectRatio: `${width} / ${height}`,
  maxWidth: `calc(80svh * ${width / height})`,
})
