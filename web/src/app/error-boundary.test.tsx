import { act, render, screen } from '@testing-library/react'
import { HttpResponse, http } from 'msw'
import { MemoryRouter } from 'react-router'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ChunkError } from '@/lib/load-chunk'
import { useNewVersion } from '@/lib/new-version'
import { server } from '@/testing/server'
import { PageBoundary } from './error-boundary'

const Missing = () => {
  throw new ChunkError('a part of the app could not be loaded')
}

/** The page as it is shown when a part of it did not come; returns what reloads it. */
function openMissingPage() {
  const reload = vi.fn()
  useNewVersion.setState({ take: reload })
  render(
    <MemoryRouter>
      <PageBoundary>
        <Missing />
      </PageBoundary>
    </MemoryRouter>,
  )
  expect(screen.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible()
  return reload
}

const reachable = (isReachable: boolean) =>
  server.use(http.head('*', () => (isReachable ? new HttpResponse(null) : HttpResponse.error())))

describe('a page whose code did not come', () => {
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    useNewVersion.setState({ take: undefined })
    sessionStorage.clear()
  })

  it('comes by itself once the server answers, although the browser says nothing [D-L5]', async () => {
    reachable(false)
    const reload = openMissingPage()
    await act(() => vi.advanceTimersByTimeAsync(12_000))
    expect(reload).not.toHaveBeenCalled()
    reachable(true)
    await act(() => vi.advanceTimersByTimeAsync(5_000))
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce())
  })

  it('comes at once if the network was back before the page was shown [D-L5]', async () => {
    reachable(true)
    const reload = openMissingPage()
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce())
  })

  it('is not reloaded twice a minute, if it never comes', async () => {
    reachable(true)
    sessionStorage.setItem('reloaded-at', String(Date.now()))
    const reload = openMissingPage()
    await act(() => vi.advanceTimersByTimeAsync(50_000))
    expect(reload).not.toHaveBeenCalled()
    await act(() => vi.advanceTimersByTimeAsync(15_000))
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce())
  })
})
