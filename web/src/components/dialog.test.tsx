import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { Button, CancelButton } from './button'
import { ConfirmDialog, Dialog } from './dialog'
import { TextField } from './field'
import { Form } from './form'

function held() {
  let finish = () => {}
  const done = new Promise<void>((resolve) => (finish = resolve))
  return { run: vi.fn(() => done), finish: () => finish() }
}

const box = () => screen.getByRole('dialog', { hidden: true })

/** Everything that leaves a dialog: Escape as the browser reports it, the X, a click outside, and its own button. */
function leaveInEveryWay(cancel: string) {
  const escape = new Event('cancel', { cancelable: true })
  box().dispatchEvent(escape)
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  fireEvent.click(box())
  fireEvent.click(screen.getByRole('button', { name: cancel }))
  return escape
}

describe('a dialog whose act runs', () => {
  it('stays, whatever is pressed, until the act has ended [AUTH-17]', async () => {
    const { run, finish } = held()
    const onClose = vi.fn()
    render(
      <ConfirmDialog open onClose={onClose} title="Close this trade?" confirm="Close now" busyLabel="One moment..." cancel="Keep it open" onConfirm={run}>
        It pays $10.00.
      </ConfirmDialog>,
    )
    fireEvent.click(screen.getByRole('button', { name: 'Close now' }))
    expect(await screen.findByRole('button', { name: 'One moment...' })).toBeDisabled()
    expect(leaveInEveryWay('Keep it open').defaultPrevented).toBe(true)
    expect(screen.getByRole('button', { name: 'Keep it open' })).toBeDisabled()
    // A second Escape closes it in the browser all the same: it opens again.
    act(() => {
      ;(box() as HTMLDialogElement).close()
      fireEvent(box(), new Event('close'))
    })
    expect(box()).toHaveAttribute('open')
    expect(onClose).not.toHaveBeenCalled()
    finish()
    await waitFor(() => expect(screen.getByRole('button', { name: 'Keep it open' })).toBeEnabled())
    expect(leaveInEveryWay('Keep it open').defaultPrevented).toBe(false)
    expect(onClose).toHaveBeenCalledTimes(3)
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('stays while a form in it is sent [AUTH-17]', async () => {
    const { run, finish } = held()
    const onClose = vi.fn()
    render(
      <Dialog open onClose={onClose} title="Note">
        <Form onSubmit={run}>
          <TextField label="Note" />
          <CancelButton onClick={onClose} />
          <Button type="submit">Save</Button>
        </Form>
      </Dialog>,
    )
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Cancel' })).toBeDisabled())
    leaveInEveryWay('Cancel')
    expect(onClose).not.toHaveBeenCalled()
    finish()
    await waitFor(() => expect(screen.getByRole('button', { name: 'Cancel' })).toBeEnabled())
  })
})
