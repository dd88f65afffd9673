/** A video as the API describes it; its links are signed for the session and live for hours. */
export type Video = { hls: string; poster: string; duration: number; preview?: Strip; captions: readonly Captions[] }

export type Captions = { language: string; label: string; url: string }

/** One picture with tiles of the video, one every `interval` seconds, row by row. */
export type Strip = { url: string; interval: number; columns: number; rows: number; width: number; height: number }
