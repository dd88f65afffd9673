import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import { IconButton } from '@/components/button'
import { Modal } from '@/components/dialog'
import { gallery } from '@/content/marketing'
import { Band, BandHeading } from '../../public-page'

/** The formats as pictures; each opens in a viewer that the keyboard turns over. */
export function Gallery() {
  const [shown, setShown] = useState<number | null>(null)
  return (
    <Band id="gallery" aria-labelledby="gallery-heading" className="py-16 lg:py-24">
      <BandHeading id="gallery-heading" title="The six formats brands order">
        By the end of Module 5 you have made each of them once, with things from your own shelf.
      </BandHeading>
      <ul className="mt-10 grid grid-cols-2 gap-3 sm:gap-5 lg:grid-cols-3">
        {gallery.map(({ title, image, alt }, index) => (
          <li key={title}>
            <button type="button" aria-haspopup="dialog" onClick={() => setShown(index)} className="group block w-full text-start">
              <span className="block overflow-hidden rounded-lg">
                {/* Not lazy: it is there before it is scrolled to, and browsers fetch what is out of sight last. */}
                <img src={image} alt={alt} fetchPriority="low" width="480" height="600" className="w-full transition-transform group-hover:scale-[1.02]" />
              </span>
              <span className="mt-3 block font-semibold">{title}</span>
            </button>
          </li>
        ))}
      </ul>
      <Viewer shown={shown} onShow={setShown} />
    </Band>
  )
}

type ViewerProps = { shown: number | null; onShow: (index: number | null) => void }

function Viewer({ shown, onShow }: ViewerProps) {
  const picture = shown === null ? undefined : gallery[shown]
  const turn = (step: number) => {
    if (shown !== null) onShow((shown + step + gallery.length) % gallery.length)
  }
  const turnByKey = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') turn(-1)
    if (key === 'ArrowRight') turn(1)
  }
  return (
    <Modal
      open={shown !== null}
      onClose={() => onShow(null)}
      label="Picture viewer"
      className="m-auto w-[calc(100%-2rem)] max-w-110 rounded-xl border border-line bg-surface p-0 text-ink shadow-float open:animate-rise"
    >
      {picture && (
        <div onKeyDown={turnByKey} className="p-3">
          <img
            src={picture.image}
            alt={picture.alt}
            width="480"
            height="600"
            className="max-h-[62dvh] w-full rounded-lg bg-sunken object-contain"
          />
          <div className="mt-3 flex items-start gap-1">
            <div aria-live="polite" className="min-w-0 flex-1 px-2 py-1.5">
              <p className="font-semibold">{picture.title}</p>
              <p className="text-sm text-ink-soft">{picture.text}</p>
            </div>
            <IconButton label="Previous picture" onClick={() => turn(-1)}>
              <ChevronLeft aria-hidden className="size-5" />
            </IconButton>
            <IconButton label="Next picture" onClick={() => turn(1)}>
              <ChevronRight aria-hidden className="size-5" />
            </IconButton>
            <IconButton label="Close" onClick={() => onShow(null)}>
              <X aria-hidden className="size-5" />
            </IconButton>
          </div>
        </div>
      )}
    </Modal>
  )
}
