import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { MarkdownText } from './markdown-text'

it('has no heading in a table where the text has none [D-C1]', () => {
  render(<MarkdownText markdown={'| | Price |\n|---|---:|\n| Camera | $20 |'} />)
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Price'])
  expect(screen.getByRole('cell', { name: 'Camera' })).toBeVisible()
})
