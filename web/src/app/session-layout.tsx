import { Link } from 'react-router'
import { Logo } from '@/components/logo'
import { brand } from '@/lib/brand'
import { paths } from '@/lib/paths'
import { PageOutlet } from './page-outlet'

/** The layout of login, registration and related pages: the form beside a panel. */
export function SessionLayout() {
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(0,1fr)_minmax(0,1.05fr)]">
      <SidePanel />
      <div className="flex flex-col px-5 py-6 sm:px-10">
        <Link to={paths.landing} className="self-start rounded-md lg:hidden" aria-label={`${brand.name} home`}>
          <Logo />
        </Link>
        <main className="mx-auto flex w-full max-w-105 flex-1 flex-col justify-center py-10">
          <PageOutlet />
        </main>
      </div>
    </div>
  )
}

const promises = [
  ['Fees before you confirm', 'The amount, the fee and what you receive are on the screen before anything is sent.'],
  ['Every value has a source', 'Plan values are published with their date and source.'],
  ['You stay in control', 'See every device that is logged in, and end any session at once.'],
] as const

function SidePanel() {
  return (
    <aside className="relative hidden overflow-hidden bg-hero text-hero-ink lg:flex lg:flex-col lg:justify-between lg:p-12">
      <Rings />
      <Link to={paths.landing} className="relative self-start rounded-md" aria-label={`${brand.name} home`}>
        <Logo onHero />
      </Link>
      <div className="relative max-w-md">
        <p className="text-3xl font-semibold text-balance">A wallet that shows its work.</p>
        <ul className="mt-9 space-y-6">
          {promises.map(([title, text]) => (
            <li key={title} className="border-s-2 border-hero-raised ps-4">
              <p className="font-semibold">{title}</p>
              <p className="mt-0.5 text-hero-soft">{text}</p>
            </li>
          ))}
        </ul>
      </div>
      <p className="relative text-sm text-hero-soft">A return is a target, never a promise.</p>
    </aside>
  )
}

function Rings() {
  return (
    <svg aria-hidden viewBox="0 0 600 600" className="absolute -inset-e-48 -bottom-56 w-180 text-hero-raised" fill="none">
      {[290, 235, 180, 125, 70].map((radius) => (
        <circle key={radius} cx="300" cy="300" r={radius} stroke="currentColor" strokeWidth="1.5" />
      ))}
    </svg>
  )
}
