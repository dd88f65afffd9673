import { QueryClientProvider, useMutation } from '@tanstack/react-query'
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '@/lib/api-error'
import { queryClient } from '@/lib/query-client'
import { Button } from './button'
import { TextField } from './field'
import { Form } from './form'

function held() {
  let finish = () => {}
  const done = new Promise<void>((resolve) => (finish = resolve))
  const act = vi.fn(() => done)
  return { act, finish: () => finish() }
}

describe('a form', () => {
  it('is busy from the press, and sent once however often it is pressed [AUTH-17]', async () => {
    const { act: send, finish } = held()
    render(
      <Form onSubmit={send}>
        <Button type="submit" busyLabel="Saving...">
          Save
        </Button>
      </Form>,
    )
    const button = screen.getByRole('button')
    // Both presses arrive before React draws again.
    act(() => {
      button.click()
      button.click()
    })
    expect(send).toHaveBeenCalledTimes(1)
    expect(button).toBeDisabled()
    expect(button).toHaveTextContent('Saving...')
    finish()
    await waitFor(() => expect(button).toBeEnabled())
    fireEvent.click(button)
    expect(send).toHaveBeenCalledTimes(2)
  })

  it('moves the focus to its first wrong field', async () => {
    function Example({ error }: { error?: string }) {
      return (
        <Form onSubmit={() => Promise.resolve()}>
          <TextField label="Name" />
          <TextField label="Phone" error={error} />
          <TextField label="City" error={error} />
          <Button type="submit">Save</Button>
        </Form>
      )
    }
    const { rerender } = render(<Example />)
    rerender(<Example error="Wrong" />)
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.getByLabelText('Phone')).toHaveFocus())
  })
})

describe('a button', () => {
  it('does once what two presses ask for, and is busy until it is done [PROF-01]', async () => {
    const { act: upload, finish } = held()
    render(
      <Button busyLabel="Uploading..." onClick={upload}>
        Upload photo
      </Button>,
    )
    const button = screen.getByRole('button')
    act(() => {
      button.click()
      button.click()
    })
    expect(upload).toHaveBeenCalledTimes(1)
    expect(button).toHaveTextContent('Uploading...')
    finish()
    await waitFor(() => expect(button).toHaveTextContent('Upload photo'))
  })
})

describe('a refused form', () => {
  it('keeps what the toast said when the toast has gone [MSG-01]', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    function Example() {
      const save = useMutation({ mutationFn: () => Promise.reject(new ApiError('x', 409, { message: 'Not today' })) })
      return (
        <Form onSubmit={() => save.mutateAsync()}>
          <Button type="submit">Save</Button>
        </Form>
      )
    }
    const { container } = render(
      <QueryClientProvider client={queryClient}>
        <Example />
      </QueryClientProvider>,
    )
    const form = container.querySelector('form')
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Save' })).toBeEnabled())
    expect(form).not.toHaveTextContent('Not today')
    await act(() => vi.advanceTimersByTimeAsync(4_100))
    expect(form).toHaveTextContent('Not today')
    vi.useRealTimers()
  })
})
