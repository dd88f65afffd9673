import { expect, it } from 'vitest'
import { joinedTimeLine, sourcesToRead, type Happening } from './time-line'

const happening = (id: string, at: string): Happening => ({ id, at, kind: 'money', text: id })

it('joins what happened in order, and shows nothing that a source may still fill in between [U12]', () => {
  const money = { items: [happening('m1', '2026-03-05T10:00:00Z'), happening('m2', '2026-03-03T10:00:00Z')], hasMore: true }
  const security = { items: [happening('s1', '2026-03-04T10:00:00Z'), happening('s2', '2026-03-01T10:00:00Z')], hasMore: false }
  expect(joinedTimeLine([money, security]).map(({ id }) => id)).toEqual(['m1', 's1', 'm2'])
  expect(sourcesToRead([money, security])).toEqual([true, false])
  expect(joinedTimeLine([{ ...money, hasMore: false }, security]).map(({ id }) => id)).toEqual(['m1', 's1', 'm2', 's2'])
})
