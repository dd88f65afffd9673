import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { AsOf } from './as-of'

it('says of when the list of a server that is behind is, and nothing of one of now [R9]', () => {
  const { rerender } = render(<AsOf at={new Date(2026, 10, 28, 12, 4, 31).toISOString()} />)
  expect(screen.getByRole('status')).toHaveTextContent(/^As of November 28, 2026 at 12:04:31\sPM; later changes are not shown yet\.$/)
  rerender(<AsOf at={undefined} />)
  expect(screen.queryByRole('status')).toBeNull()
})
