import { render, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { Outlet, Route } from 'react-router'
import { describe, expect, it } from 'vitest'
import { loadRoute, loadable } from './loadable'

const part = (text: string) => loadable(async () => Promise.resolve({ Part: () => <p>{text}</p> }), 'Part')

const inBoundary = (Part: ReturnType<typeof part>) => (
  <Suspense fallback={<p>Loading</p>}>
    <Part />
  </Suspense>
)

describe('a component with a file of its own', () => {
  it('shows the fallback until it has come, and none once it is loaded', async () => {
    const first = render(inBoundary(part('Late')))
    expect(screen.getByText('Loading')).toBeVisible()
    expect(await screen.findByText('Late')).toBeVisible()
    first.unmount()

    const Part = part('There')
    await Part.load()
    render(inBoundary(Part))
    expect(screen.getByText('There')).toBeVisible()
  })

  it('is loaded together with those around it', async () => {
    const [Frame, Page, Other] = [part('Frame'), part('Page'), part('Other')]
    const routes = (
      <Route element={<Outlet />}>
        <Route element={<Frame />}>
          <Route path="/page" element={<Page />} />
          <Route path="/other" element={<Other />} />
        </Route>
      </Route>
    )
    await loadRoute(routes, '/page')
    render(inBoundary(Frame))
    render(inBoundary(Page))
    expect(screen.getByText('Frame')).toBeVisible()
    expect(screen.getByText('Page')).toBeVisible()
    render(inBoundary(Other))
    expect(screen.getByText('Loading')).toBeVisible()
    expect(await screen.findByText('Other')).toBeVisible()
  })
})
