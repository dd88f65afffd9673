import { act, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { notify } from '@/lib/notify'
import { toastTexts } from '@/testing/render'
import { Dialog } from './dialog'
import { Toasts } from './toast-area'

const say = (...titles: string[]) => act(() => titles.forEach((title) => notify.error(title)))

/** What measures the time of the toasts, the newest first. jsdom has no animations: a test ends them itself. */
const timers = () => [...document.querySelectorAll<HTMLElement>('.toast [role=progressbar]')]
const states = () => timers().map(({ style }) => style.animationPlayState)

describe('toasts', () => {
  it('stay for 4 seconds [NAV-03]', () => {
    render(<Toasts />)
    say('one')
    expect(toastTexts()).toEqual(['one'])
    expect(timers()[0]).toHaveStyle({ animationDuration: '4000ms', animationPlayState: 'running' })
    for (const timer of timers()) fireEvent.animationEnd(timer)
    expect(toastTexts()).toEqual([])
  })

  it('stay while they are pointed at or have the focus', async () => {
    const user = userEvent.setup()
    render(<Toasts />)
    say('one', 'two')
    await user.hover(screen.getByText('two'))
    expect(states()).toEqual(['paused', 'running'])
    await user.unhover(screen.getByText('two'))
    expect(states()).toEqual(['running', 'running'])
    act(() => screen.getAllByRole('button', { name: 'Dismiss' })[1]?.focus())
    expect(states()).toEqual(['running', 'paused'])
    act(() => (document.activeElement as HTMLElement).blur())
    expect(states()).toEqual(['running', 'running'])
  })

  it('are dismissed one by one', async () => {
    const user = userEvent.setup()
    render(<Toasts />)
    say('one', 'two')
    await user.click(within(screen.getAllByRole('alert')[1] as HTMLElement).getByRole('button', { name: 'Dismiss' }))
    expect(toastTexts()).toEqual(['two'])
  })

  it('are at most three: the newest takes the place of the oldest at once [NAV-03]', () => {
    render(<Toasts />)
    say('one', 'two', 'three', 'four', 'five')
    expect(toastTexts()).toEqual(['five', 'four', 'three'])
    for (const timer of timers()) fireEvent.animationEnd(timer)
    expect(toastTexts()).toEqual([])
  })

  it('come again with their count and their full time when the same failure repeats [MSG-01]', () => {
    render(<Toasts />)
    say('Network Error')
    const [before] = timers()
    say('Network Error')
    expect(toastTexts()).toEqual(['Network Error'])
    expect(screen.getByText('2 times')).toBeInTheDocument()
    expect(timers()).toHaveLength(1)
    expect(timers()[0]).not.toBe(before)
    for (const timer of timers()) fireEvent.animationEnd(timer)
    say('Network Error')
    expect(screen.queryByText(/times/)).not.toBeInTheDocument()
  })

  it('say one success at a time, and none beside a later failure [U23]', () => {
    render(<Toasts />)
    act(() => notify.success('Uploaded'))
    act(() => notify.success('Deposit made'))
    expect(toastTexts()).toEqual(['Deposit made'])
    say('Wrong code', 'Network Error')
    expect(toastTexts()).toEqual(['Network Error', 'Wrong code'])
  })

  it('are announced: a failure at once, a success when there is time for it', () => {
    render(<Toasts />)
    act(() => notify.success('Saved'))
    expect(screen.getByRole('region', { name: 'Notifications' })).toHaveAttribute('aria-live', 'polite')
    expect(screen.getByRole('status')).toHaveTextContent('Saved')
    say('Refused')
    expect(screen.getByRole('alert')).toHaveTextContent('Refused')
  })

  it('lie inside the dialog that is open, since everything outside it is inert', () => {
    const page = (open: boolean) => (
      <>
        <Dialog open={open} onClose={() => undefined} title="Close this trade?">
          <p>Sure?</p>
        </Dialog>
        <Toasts />
      </>
    )
    const { rerender } = render(page(false))
    say('Saved before')
    rerender(page(true))
    say('Refused')
    const inside = within(screen.getByRole('dialog')).getAllByRole('alert')
    expect(inside.map((alert) => alert.querySelector('p')?.textContent)).toEqual(['Refused', 'Saved before'])
    expect(toastTexts()).toEqual(['Refused', 'Saved before'])
    rerender(page(false))
    expect(toastTexts()).toEqual(['Refused', 'Saved before'])
    for (const alert of screen.getAllByRole('alert')) expect(alert.closest('dialog')).toBeNull()
    expect(timers()).toHaveLength(2)
  })
})
