import { act, fireEvent, render, screen } from '@testing-library/react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { LongList, LongListRow } from './long-list'

/** Reports the blocks that come near the screen, or leave it. */
let observers: { notice: (...isIntersecting: boolean[]) => void; element: Element }[] = []
let width = 800

beforeEach(() => {
  observers = []
  width = 800
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      readonly callback: (entries: object[]) => void
      constructor(callback: (entries: object[]) => void) {
        this.callback = callback
      }
      observe(element: Element) {
        const notice = (...told: boolean[]) =>
          this.callback(told.map((isIntersecting) => ({ isIntersecting, boundingClientRect: { width, height: width > 0 ? 3_600 : 17_956 } })))
        observers.push({ notice, element })
      }
      disconnect() {}
    },
  )
  return () => vi.unstubAllGlobals()
})

const list = (count: number, keep?: number) => (
  <LongList count={count} rowHeight={72} keep={keep}>
    {(from, to) =>
      Array.from({ length: to - from }, (_, at) => (
        <LongListRow key={at} index={from + at} count={count}>
          <a href={`#${from + at}`}>Row {from + at + 1}</a>
        </LongListRow>
      ))
    }
  </LongList>
)

const rows = () => screen.getAllByRole('listitem').length

describe('a long list', () => {
  it('has the rows near the screen in the page, of 10,000, and says which they are', () => {
    render(list(10_000))
    expect(rows()).toBe(50)
    const [, second] = screen.getAllByRole('listitem')
    expect(second).toHaveAttribute('aria-posinset', '2')
    expect(second).toHaveAttribute('aria-setsize', '10000')
  })

  it('has a screenful of rows in the first paint', () => {
    expect(renderToStaticMarkup(list(10_000)).match(/role="listitem"/g)).toHaveLength(12)
  })

  it('takes in what comes near, and leaves the room of what goes', () => {
    render(list(200))
    act(() => observers[1]?.notice(true))
    expect(screen.getByText('Row 51')).toBeInTheDocument()
    act(() => observers[0]?.notice(false))
    expect(screen.queryByText('Row 1')).not.toBeInTheDocument()
    expect(observers[0]?.element).toHaveStyle({ height: '3600px' })
  })

  it('believes the newest of several sightings: what left and came back is there [TXN-01]', () => {
    render(list(200))
    act(() => observers[0]?.notice(false, true))
    expect(screen.getByText('Row 1')).toBeInTheDocument()
    act(() => observers[0]?.notice(true, false))
    expect(screen.queryByText('Row 1')).not.toBeInTheDocument()
  })

  it('forgets what was measured without a width [TXN-01]', () => {
    width = 0
    render(list(200))
    act(() => observers[0]?.notice(false))
    expect(observers[0]?.element).toHaveStyle({ height: '3600px' })
  })

  it('keeps the rows that have the focus, and those that are about to', () => {
    render(list(200, 199))
    expect(screen.getByText('Row 200')).toBeInTheDocument()
    screen.getByText('Row 1').focus()
    act(() => observers[0]?.notice(false))
    expect(screen.getByText('Row 1')).toHaveFocus()
  })

  it.each([
    ['the search of the browser', () => fireEvent.keyDown(window, { key: 'f', ctrlKey: true })],
    ['a print', () => fireEvent(window, new Event('beforeprint'))],
  ])('is whole for %s', (_, begin) => {
    render(list(200))
    begin()
    expect(rows()).toBe(200)
  })
})
