/** The draft that was discarded last in this tab, so that it can be brought back. */
import type { Content } from './api/types'

let discarded: Content | undefined

export const hasDiscarded = () => discarded !== undefined

export const keepDiscarded = (content: Content) => {
  discarded = content
}

export function takeDiscarded(): Content | undefined {
  const content = discarded
  discarded = undefined
  return content
}
