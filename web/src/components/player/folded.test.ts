import { expect, it } from 'vitest'
import { folded } from './folded'

it.each([
  ['Jos\u00e9', 'jose'],
  ['Jose\u0301', 'jose'],
  ['Ünal', 'unal'],
  ['한국', '한국'],
  ['क्षमा', 'क्षमा'],
])('finds %s however it is composed, by %s [F18]', (text, wanted) => {
  expect(folded(text)).toBe(wanted)
  expect(folded(text)).toHaveLength(text.normalize('NFC').length)
})
