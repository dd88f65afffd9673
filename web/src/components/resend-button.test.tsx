import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ResendButton } from './resend-button'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('sends one mail a minute, and counts down to the next [AUTH-10]', async () => {
  const resend = vi.fn(() => Promise.resolve())
  render(<ResendButton label="Resend" onResend={resend} />)
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Resend' }))
    await vi.advanceTimersByTimeAsync(0)
  })
  expect(screen.getByRole('button', { name: 'Resend in 60 s' })).toBeDisabled()
  await act(() => vi.advanceTimersByTimeAsync(20_000))
  expect(screen.getByRole('button', { name: 'Resend in 40 s' })).toBeDisabled()
  await act(() => vi.advanceTimersByTimeAsync(40_000))
  expect(screen.getByRole('button', { name: 'Resend' })).toBeEnabled()
  expect(resend).toHaveBeenCalledTimes(1)
})

it('waits from the start where a mail has just been sent [AUTH-10]', () => {
  render(<ResendButton label="Resend" onResend={() => undefined} sentAt={Date.now() - 10_000} />)
  expect(screen.getByRole('button', { name: 'Resend in 50 s' })).toBeDisabled()
})
