import { expect, it, vi } from 'vitest'
import { firstPages } from './first-pages'
import { heldPlans } from './held-plans'
import { keepHeldPlans } from './member-cache'
import { endSession } from './session'

it('the plans of the trades are known at the next visit, and forgotten with the session', () => {
  keepHeldPlans(['b', 'a'])
  expect(heldPlans()).toEqual(['b', 'a'])
  endSession()
  expect(heldPlans()).toEqual([])
})

it('a member without trades has none', () => {
  keepHeldPlans(['a'])
  keepHeldPlans([])
  expect(heldPlans()).toEqual([])
})

it('plans are named in the same order by everything that asks for their values', () => {
  expect(firstPages.planValues(['b', 'a'])).toBe(firstPages.planValues(['a', 'b']))
})

it('without a storage there are none, and no error [D-G4]', () => {
  const refuse = () => {
    throw new DOMException('denied', 'SecurityError')
  }
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
  expect(() => keepHeldPlans(['a'])).not.toThrow()
  expect(heldPlans()).toEqual([])
  vi.unstubAllGlobals()
})
