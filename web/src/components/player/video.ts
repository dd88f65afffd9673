/** A video as the API describes it; its links are signed for the session and live for hours. */
import type { components } from '@/lib/api-schema'

type Schemas = components['schemas']

export type Video = Pick<Schemas['VideoEntry'], 'hls' | 'poster' | 'duration' | 'preview' | 'captions'>
export type Captions = Schemas['CaptionsEntry']
export type Strip = Schemas['PreviewStrip']
