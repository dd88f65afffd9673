import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { MarkdownText } from './markdown-text'

it('shows a picture of another site as a link, which the content policy would leave broken [D-C4]', () => {
  render(<MarkdownText markdown={'![A phone on a stand](https://example.com/stand.png)\n\n![Ours](/files/stand.png)'} />)
  expect(screen.getByRole('link', { name: 'A phone on a stand' })).toHaveAttribute('href', 'https://example.com/stand.png')
  expect(screen.getByRole('img', { name: 'Ours' })).toHaveAttribute('src', '/files/stand.png')
  expect(screen.getAllByRole('img')).toHaveLength(1)
})

it('shows a picture of the library where the text names it, and its words where there is none [F22]', () => {
  const picture = (id: string, alt: string) => (id === 'm1' ? <img src="/v1/course-media/t1/attachment" alt={alt} /> : undefined)
  const { container } = render(<MarkdownText markdown={'Before ![The light](media:m1) after.\n\n![Gone](media:m2)'} picture={picture} />)
  expect(screen.getByRole('img', { name: 'The light' })).toHaveAttribute('src', '/v1/course-media/t1/attachment')
  expect(screen.getAllByRole('img')).toHaveLength(1)
  expect(container).toHaveTextContent('Gone')
})

it('has no heading in a table where the text has none [D-C1]', () => {
  render(<MarkdownText markdown={'| | Price |\n|---|---:|\n| Camera | $20 |'} />)
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Price'])
  expect(screen.getByRole('cell', { name: 'Camera' })).toBeVisible()
})
