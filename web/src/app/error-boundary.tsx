import { CloudOff, RotateCw, TriangleAlert } from 'lucide-react'
import { Component, useEffect, type ReactNode } from 'react'
import { useLocation } from 'react-router'
import { Button } from '@/components/button'
import { ChunkError, reloadPage, reloadWhenReachable } from '@/lib/load-chunk'
import { notify } from '@/lib/notify'
import { FirstRender } from './first-render'

/** `at`: another value is another try. */
type Props = { at?: string; children: ReactNode }

/** Shows an error with a way on for content that failed to render or load; everything around it keeps working. */
export class ErrorBoundary extends Component<Props, { failure: { cause: unknown } | null }> {
  override state: { failure: { cause: unknown } | null } = { failure: null }

  static getDerivedStateFromError(cause: unknown) {
    return { failure: { cause } }
  }

  override componentDidUpdate({ at }: Props) {
    if (this.state.failure && at !== this.props.at) this.setState({ failure: null })
  }

  override render() {
    const { failure } = this.state
    return failure ? <Failure isMissing={failure.cause instanceof ChunkError} /> : this.props.children
  }
}

/** The boundary around the pages of a layout. It resets on navigation. */
export function PageBoundary({ children }: { children: ReactNode }) {
  return <ErrorBoundary at={useLocation().pathname}>{children}</ErrorBoundary>
}

const texts = {
  missing: {
    Icon: CloudOff,
    title: 'This page could not be loaded',
    text: 'Please check your connection and try again. Your money and your data are not affected.',
  },
  broken: {
    Icon: TriangleAlert,
    title: 'Something went wrong on this page',
    text: 'Your money and your data are not affected. Please load the page again.',
  },
}

function Failure({ isMissing }: { isMissing: boolean }) {
  const { Icon, title, text } = texts[isMissing ? 'missing' : 'broken']
  useEffect(() => (isMissing ? reloadWhenReachable() : undefined), [isMissing])
  const retry = async () => {
    if (!(await reloadPage())) notify.error('Network Error', 'Please check your connection and try again.')
  }
  return (
    <div role="alert" className="grid min-h-[60dvh] place-content-center justify-items-center px-6 text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-sunken text-ink-faint">
        <Icon aria-hidden className="size-5.5" />
      </span>
      <h1 className="text-xl font-semibold">{title}</h1>
      <p className="mt-2 max-w-sm text-ink-soft">{text}</p>
      <Button className="mt-6" onClick={retry} icon={<RotateCw aria-hidden className="size-4" />}>
        Retry
      </Button>
      <FirstRender />
    </div>
  )
}
