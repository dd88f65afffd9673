/** Joins what happened to a member: money, security, notes and acts of staff, newest first. */

export type Happening = {
  id: string
  at: string
  kind: 'money' | 'security' | 'staff' | 'note'
  text: string
  detail?: string
  to?: string
  isRefused?: boolean
  /** When it happened before in the same way, newest first, with nothing else in between. */
  before?: readonly string[]
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

const isRepeated = (one: Happening, other: Happening) =>
  one.kind === 'security' && other.kind === 'security' && one.text === other.text && one.detail === other.detail

/** What happened several times in a row to the security of the account, as one entry at the time of the newest. */
export function withoutRepetitions(happenings: readonly Happening[]): Happening[] {
  const kept: Happening[] = []
  for (const one of happenings) {
    const newest = kept.at(-1)
    if (newest && isRepeated(newest, one)) kept[kept.length - 1] = { ...newest, before: [...(newest.before ?? []), one.at] }
    else kept.push(one)
  }
  return kept
}

/** Which sources keep the time line from going on. */
export const sourcesToRead = (sources: readonly Source[]): boolean[] => {
  const ends = sources.map(({ items, hasMore }) => (hasMore ? (items.at(-1)?.at ?? '') : undefined))
  const bound = ends.flatMap((end) => end ?? []).sort().at(-1)
  return ends.map((end) => end !== undefined && end === bound)
}
