import { Suspense } from 'react'
import { Outlet } from 'react-router'
import { PageLoader } from '@/components/spinner'
import { PageBoundary } from './error-boundary'

/** The page of the route inside a layout, with its loading indicator and its error screen. */
export function PageOutlet() {
  return (
    <PageBoundary>
      <Suspense fallback={<PageLoader />}>
        <Outlet />
      </Suspense>
    </PageBoundary>
  )
}
