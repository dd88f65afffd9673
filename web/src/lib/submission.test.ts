import { renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ApiError } from './api-error'
import { randomId } from './id'
import { useSubmissionKey } from './submission'

const submission = () => renderHook(() => useSubmissionKey()).result.current

it('keeps the key while the same submission has no answer [D-G4]', () => {
  const keys = submission()
  const first = keys.for({ amount: 1 })
  keys.settle(new ApiError('Network Error'))
  expect(keys.for({ amount: 1 })).toBe(first)
  keys.settle(new ApiError('Still running', 409, { code: 'IDEMPOTENCY_KEY_IN_FLIGHT' }))
  expect(keys.for({ amount: 1 })).toBe(first)
})

it('takes a new key for other content, after success and after a refusal [D-G4]', () => {
  const keys = submission()
  const first = keys.for({ amount: 1 })
  const second = keys.for({ amount: 2 })
  keys.settle()
  const third = keys.for({ amount: 2 })
  keys.settle(new ApiError('Insufficient balance', 422))
  const fourth = keys.for({ amount: 2 })
  expect(new Set([first, second, third, fourth]).size).toBe(4)
})

it('makes UUIDs in insecure contexts too', () => {
  const own = Object.getOwnPropertyDescriptor(crypto, 'randomUUID')
  Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true })
  try {
    expect(randomId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  } finally {
    if (own) Object.defineProperty(crypto, 'randomUUID', own)
    else Reflect.deleteProperty(crypto, 'randomUUID')
  }
})
