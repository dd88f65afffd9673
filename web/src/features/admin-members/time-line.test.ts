import { expect, it } from 'vitest'
import { joinedTimeLine, sourcesToRead, withoutRepetitions, type Happening } from './time-line'

const happening = (id: string, at: string): Happening => ({ id, at, kind: 'money', text: id })

it('joins what happened in order, and shows nothing that a source may still fill in between [U12]', () => {
  const money = { items: [happening('m1', '2026-03-05T10:00:00Z'), happening('m2', '2026-03-03T10:00:00Z')], hasMore: true }
  const security = { items: [happening('s1', '2026-03-04T10:00:00Z'), happening('s2', '2026-03-01T10:00:00Z')], hasMore: false }
  expect(joinedTimeLine([money, security]).map(({ id }) => id)).toEqual(['m1', 's1', 'm2'])
  expect(sourcesToRead([money, security])).toEqual([true, false])
  expect(joinedTimeLine([{ ...money, hasMore: false }, security]).map(({ id }) => id)).toEqual(['m1', 's1', 'm2', 's2'])
})

it('shows logins in a row as one entry, but none across what happened in between [U12]', () => {
  const login = (at: string, detail: string): Happening => ({ id: at, at, kind: 'security', text: 'Logged in', detail })
  const line = [login('5', 'Chrome'), login('4', 'Chrome'), happening('m', '3'), login('2', 'Chrome'), login('1', 'Firefox')]
  expect(withoutRepetitions(line)).toEqual([{ ...line[0], before: ['4'] }, ...line.slice(2)])
})
