import { describe, expect, it } from 'vitest'
import { paths, safeReturnPath } from './paths'

describe('safeReturnPath', () => {
  it('keeps a path of this site [D-S11]', () => expect(safeReturnPath('/deposits?type=course#x')).toBe('/deposits?type=course#x'))

  it.each(['//evil.test', '/\\evil.test', 'https://evil.test', 'javascript:alert(1)', 'deposits', '', null, 7])(
    'refuses %j [D-S11]',
    (candidate) => expect(safeReturnPath(candidate)).toBeUndefined(),
  )
})

it('encodes the email of the verify screen [AUTH-06]', () => {
  expect(paths.verify('a+b@c.test')).toBe('/verify?email=a%2Bb%40c.test')
})
