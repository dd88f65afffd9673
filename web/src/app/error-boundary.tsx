import { Component, type ReactNode } from 'react'
import { Button } from '@/components/button'
import { FirstPage } from './first-page'

/** The last line: a screen that broke says so and offers a fresh start. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <main role="alert" className="grid min-h-dvh place-content-center justify-items-center px-6 text-center">
        <h1 className="text-xl font-semibold">Something went wrong on this page</h1>
        <p className="mt-2 max-w-sm text-ink-soft">Your money and your data are not affected. Please load the page again.</p>
        <Button className="mt-6" onClick={() => window.location.reload()}>
          Reload
        </Button>
        <FirstPage />
      </main>
    )
  }
}
