import { modules } from '@/content/marketing'
import { Band, BandHeading } from '../../public-page'

const NAMED = 3

/** Module 1, the affiliate program, Module 3, and 4 more [PUB-03]. */
export function ModuleList() {
  return (
    <Band id="modules" aria-labelledby="modules-heading" className="py-16 lg:py-24">
      <BandHeading id="modules-heading" title="Seven modules, in the order you need them">
        Text you can read on a bus, tables you can copy, and no video to sit through before the useful part.
      </BandHeading>
      <ol className="mt-10 grid gap-4 md:grid-cols-3">
        {modules.slice(0, NAMED).map(({ label, title, text }) => (
          <li key={title} className="flex flex-col rounded-xl border border-line bg-surface p-6 shadow-card">
            <p className="text-sm font-semibold text-accent-text">{label}</p>
            <h3 className="mt-2 text-lg font-semibold">{title}</h3>
            <p className="mt-2 text-ink-soft">{text}</p>
          </li>
        ))}
      </ol>
      <h3 className="mt-12 text-lg font-semibold">And 4 more</h3>
      <ol start={NAMED + 1} className="mt-3 grid md:grid-cols-2 md:gap-x-10">
        {modules.slice(NAMED).map(({ label, title, text }) => (
          <li key={title} className="border-t border-line py-5">
            <p className="text-sm font-semibold text-accent-text">{label}</p>
            <p className="mt-1 font-semibold">{title}</p>
            <p className="mt-1 text-ink-soft">{text}</p>
          </li>
        ))}
      </ol>
    </Band>
  )
}
