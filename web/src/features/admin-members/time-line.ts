/** Joins what happened to a member: money, security, notes and acts of staff, newest first. */

export type Happening = {
  id: string
  at: string
  kind: 'money' | 'security' | 'staff' | 'note'
  text: string
  detail?: string
  to?: string
  isRefused?: boolean
}

export type Source = { items: readonly Happening[]; hasMore: boolean }

/**
 * What every source has been read down to: below the last row of a source that goes on, others would show a gap as if nothing
 * had happened.
 */
export function joinedTimeLine(sources: readonly Source[]): Happening[] {
  const bounds = sources.flatMap(({ items, hasMore }) => (hasMore ? (items.at(-1)?.at ?? []) : []))
  const bound = bounds.sort().at(-1) ?? ''
  return sources
    .flatMap(({ items }) => items)
    .filter(({ at }) => at >= bound)
    .toSorted((one, other) => other.at.localeCompare(one.at))
}

/** Which sources keep the time line from going on. */
export const sourcesToRead = (sources: readonly Source[]): boolean[] => {
  const ends = sources.map(({ items, hasMore }) => (hasMore ? (items.at(-1)?.at ?? '') : undefined))
  const bound = ends.flatMap((end) => end ?? []).sort().at(-1)
  return ends.map((end) => end !== undefined && end === bound)
}
