import { expect, it } from 'vitest'
import { sentName } from './uploads'

it.each([
  ['My "best" take.mp4', "My 'best' take.mp4"],
  ['a/b\\c.mov', 'a-b-c.mov'],
  ['тест 🎬.mp4', 'тест 🎬.mp4'],
  [`${'x'.repeat(250)}.mp4`, `${'x'.repeat(196)}.mp4`],
  ['🎬'.repeat(250), '🎬'.repeat(200)],
])('a file is uploaded under a name that the server takes: %s [F21]', (name, sent) => expect(sentName(name)).toBe(sent))
