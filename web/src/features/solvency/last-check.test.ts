import { beforeEach, expect, it } from 'vitest'
import { lastCheck, noteCheck } from './last-check'

beforeEach(() => localStorage.clear())

it('remembers when each member checked, and nothing that is not a check [D-T5]', () => {
  const check = { at: '2026-11-20T10:00:00.000Z', isCounted: true }
  noteCheck('u1', check)
  expect(lastCheck('u1')).toEqual(check)
  expect(lastCheck('u2')).toBeUndefined()
  for (const broken of ['', 'null', '{', '{"at":1,"isCounted":true}', '{"at":"soon","isCounted":true}']) {
    localStorage.setItem('balance-check:u1', broken)
    expect(lastCheck('u1')).toBeUndefined()
  }
})
