import { act, render } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import { translatePage } from '@/testing/translate'
import { tolerateTranslation } from './translated-pages'

beforeAll(tolerateTranslation)

const settled = () => act(() => new Promise((resolve) => setTimeout(resolve)))

type Shown = { isBusy: boolean; text: string }

function Mixed({ isBusy, text }: Shown) {
  return (
    <p>
      {isBusy && <b>busy</b>}
      Text: {text}
      {isBusy ? ' and busy' : ' and idle'}
      {!isBusy && <i>idle</i>}
    </p>
  )
}

it('a page that the browser translates goes on changing [AUTH-17]', async () => {
  const { container, rerender, unmount } = render(<Mixed isBusy={false} text="first" />)
  const stop = translatePage(container)
  expect(container.querySelectorAll('font font').length).toBeGreaterThan(2)
  await settled()
  for (const state of [{ isBusy: true, text: 'second' }, { isBusy: false, text: 'third' }, { isBusy: true, text: 'fourth' }]) {
    rerender(<Mixed {...state} />)
    await settled()
    expect(container).toHaveTextContent(state.isBusy ? `busyText: ${state.text} and busy` : `Text: ${state.text} and idleidle`)
  }
  stop()
  unmount()
  expect(container).toBeEmptyDOMElement()
})
