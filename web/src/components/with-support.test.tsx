import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { brand } from '@/lib/brand'
import { WithSupport } from './with-support'

it('leads from "contact support" in a sentence of the server to the address [D-M8]', () => {
  const { container } = render(<WithSupport text="Your account is frozen. Please contact support." />)
  expect(screen.getByRole('link', { name: 'contact support' })).toHaveAttribute('href', `mailto:${brand.email}`)
  expect(container).toHaveTextContent('Your account is frozen. Please contact support.')
})

it('leaves any other sentence as it is [D-M8]', () => {
  const { container } = render(<WithSupport text="We have not received this payment." />)
  expect(container.innerHTML).toBe('We have not received this payment.')
})
