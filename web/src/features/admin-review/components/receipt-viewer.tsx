import { ExternalLink, FileText, RotateCw, ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useRef, useState, type PointerEvent } from 'react'
import { buttonClass, IconButton, IconLink } from '@/components/button'
import { Card } from '@/components/card'
import { cx } from '@/components/cx'
import { useShortcuts } from '@/features/admin/use-shortcuts'

type Receipt = { url: string; contentType: string }

type View = { scale: number; x: number; y: number; turn: number }

const FIT: View = { scale: 1, x: 0, y: 0, turn: 0 }
const MOST = 8
const STEP = 1.5
/** Links are renewed with every look at the transaction; the picture is not loaded again before its link grows old. */
const RENEW_SECONDS = 600

const expiryOf = (url: string) => Number(new URL(url, window.location.origin).searchParams.get('expires') ?? 0)

function useSteadyUrl(url: string) {
  const [shown, setShown] = useState(url)
  const isOther = url.split('?')[0] !== shown.split('?')[0]
  if (shown !== url && (isOther || expiryOf(url) - expiryOf(shown) > RENEW_SECONDS)) {
    setShown(url)
    return url
  }
  return shown
}

/** The proof of payment: an image to enlarge, move and turn, or a document to open. */
export function ReceiptViewer({ receipt }: { receipt: Receipt }) {
  const url = useSteadyUrl(receipt.url)
  return (
    <Card className="overflow-hidden">
      {receipt.contentType.startsWith('image/') ? <Picture url={url} /> : <Document url={url} />}
    </Card>
  )
}

/** The content policy of a stored file allows no frame, so a PDF opens in a tab of its own. */
function Document({ url }: { url: string }) {
  return (
    <div className="flex flex-wrap items-center gap-4 p-4 sm:p-5">
      <span className="grid size-11 place-items-center rounded-md bg-accent-soft text-accent-text">
        <FileText aria-hidden className="size-5.5" />
      </span>
      <div className="min-w-0 flex-1">
        <h2 className="font-semibold">Proof of payment</h2>
        <p className="text-sm text-ink-faint">A PDF document, opens in a new tab</p>
      </div>
      <div className="flex flex-wrap gap-2">
        <a href={url} target="_blank" rel="noopener noreferrer" className={buttonClass({ variant: 'secondary', size: 'sm' })}>
          <ExternalLink aria-hidden className="size-4" />
          Open
        </a>
        <a href={url} download className={buttonClass({ variant: 'ghost', size: 'sm' })}>
          Download
        </a>
      </div>
    </div>
  )
}

const scaled = (view: View, factor: number): View => {
  const scale = Math.min(MOST, Math.max(1, view.scale * factor))
  return scale === 1 ? { ...view, scale, x: 0, y: 0 } : { ...view, scale, x: (view.x * scale) / view.scale, y: (view.y * scale) / view.scale }
}

function Picture({ url }: { url: string }) {
  const frame = useRef<HTMLDivElement>(null)
  const [view, setView] = useState(FIT)
  const [broken, setBroken] = useState(false)
  const drag = useRef<{ x: number; y: number } | null>(null)
  const zoom = (factor: number) => setView((old) => scaled(old, factor))
  useShortcuts({ '+': () => zoom(STEP), '=': () => zoom(STEP), '-': () => zoom(1 / STEP), '0': () => setView(FIT) })

  useEffect(() => {
    const node = frame.current
    // Only the pinch of a touchpad, or the wheel with Ctrl: the plain wheel scrolls the page. React listens passively.
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      setView((old) => scaled(old, event.deltaY < 0 ? 1.15 : 1 / 1.15))
    }
    node?.addEventListener('wheel', turn, { passive: false })
    return () => node?.removeEventListener('wheel', turn)
  }, [])

  const press = (event: PointerEvent<HTMLDivElement>) => {
    if (view.scale === 1) return
    event.currentTarget.setPointerCapture(event.pointerId)
    drag.current = { x: event.clientX - view.x, y: event.clientY - view.y }
  }
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const from = drag.current
    if (from) setView((old) => ({ ...old, x: event.clientX - from.x, y: event.clientY - from.y }))
  }
  const release = () => (drag.current = null)

  return (
    <>
      <header className="flex items-center gap-1 border-b border-line py-1 pe-1 ps-4 sm:ps-5">
        <h2 className="me-auto text-base font-semibold">Proof of payment</h2>
        <IconButton label="Zoom out (-)" onClick={() => zoom(1 / STEP)} disabled={view.scale === 1} className="disabled:opacity-40">
          <ZoomOut aria-hidden className="size-5" />
        </IconButton>
        <span className="tabular w-12 text-center text-sm text-ink-faint max-sm:hidden">{Math.round(view.scale * 100)}%</span>
        <IconButton label="Zoom in (+)" onClick={() => zoom(STEP)}>
          <ZoomIn aria-hidden className="size-5" />
        </IconButton>
        <IconButton label="Rotate" onClick={() => setView((old) => ({ ...old, turn: (old.turn + 90) % 360 }))}>
          <RotateCw aria-hidden className="size-5" />
        </IconButton>
        <IconLink label="Open in a new tab" to={url} target="_blank" rel="noopener noreferrer" reloadDocument>
          <ExternalLink aria-hidden className="size-5" />
        </IconLink>
      </header>
      <div
        ref={frame}
        data-testid="receipt"
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={release}
        onDoubleClick={() => setView(view.scale === 1 ? { ...view, scale: 2.5 } : FIT)}
        className={cx(
          'grid h-[26rem] place-items-center overflow-hidden bg-sunken xl:h-[34rem]',
          view.scale === 1 ? 'cursor-zoom-in' : 'cursor-grab touch-none active:cursor-grabbing',
        )}
      >
        {broken ? (
          <p className="px-6 text-sm text-ink-faint">The image cannot be shown here. Open it in a new tab.</p>
        ) : (
          <img
            src={url}
            alt="Proof of payment sent by the member"
            draggable={false}
            onError={() => setBroken(true)}
            className="max-h-full max-w-full object-contain select-none"
            style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale}) rotate(${view.turn}deg)` }}
          />
        )}
      </div>
    </>
  )
}
