import { act, render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { noteCall } from '@/lib/connection'
import { MoneyButton } from './money-button'

describe('a button that moves money', () => {
  it('cannot be pressed without a connection, and says why', () => {
    render(<MoneyButton>Pay</MoneyButton>)
    const button = () => screen.getByRole('button', { name: 'Pay' })
    expect(button()).toBeEnabled()
    act(() => noteCall({ answered: false }))
    expect(button()).toBeDisabled()
    expect(button()).toHaveAccessibleDescription(/You are offline/)
    act(() => noteCall({ answered: true }))
    expect(button()).toBeEnabled()
  })
})
