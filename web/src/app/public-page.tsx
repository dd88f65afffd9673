import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { ButtonLink } from '@/components/button'
import { cx } from '@/components/cx'
import { Logo } from '@/components/logo'
import { SupportLink } from '@/components/support-link'
import { brand } from '@/content/brand'
import { paths } from '@/lib/paths'
import { ThemeToggle } from './theme-toggle'

/** The frame of every page that needs no account. */
export function PublicPage({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-4 py-3 font-semibold text-accent-ink focus:not-sr-only focus:fixed focus:top-3 focus:inset-s-3"
      >
        Skip to content
      </a>
      <Header />
      <main id="main" tabIndex={-1} className="flex-1 outline-none">
        {children}
      </main>
      <Footer />
    </div>
  )
}

/** One horizontal band of a public page, on the common column. */
export function Band({ className, children, ...rest }: { className?: string; id?: string; children: ReactNode; 'aria-labelledby'?: string }) {
  return (
    <section {...rest} className={cx('scroll-mt-20', className)}>
      <div className="mx-auto w-full max-w-6xl px-5 sm:px-8">{children}</div>
    </section>
  )
}

export function BandHeading({ id, title, children, className }: { id?: string; title: string; children?: ReactNode; className?: string }) {
  return (
    <div className={cx('max-w-2xl', className)}>
      <h2 id={id} className="text-2xl font-semibold sm:text-3xl">
        {title}
      </h2>
      {children && <p className="mt-3 text-base text-pretty text-ink-soft sm:text-lg">{children}</p>}
    </div>
  )
}

function Header() {
  return (
    <header className="top-bar border-b border-line bg-canvas/90">
      <div className="mx-auto flex h-16 w-full max-w-6xl items-center gap-1 px-4 sm:gap-2 sm:px-8">
        <Link to={paths.landing} className="flex rounded-md" aria-label={`${brand.name} home`}>
          <Logo className="max-[24rem]:[&>span]:hidden" />
        </Link>
        <nav aria-label="Site" className="ms-auto flex items-center gap-1 sm:gap-2">
          <Link
            to={paths.ugcCourse}
            className="hidden min-h-11 items-center rounded-md px-3 text-sm font-medium text-ink-soft hover:text-ink sm:inline-flex"
          >
            The course
          </Link>
          <ThemeToggle />
          <WaysIn />
        </nav>
      </div>
    </header>
  )
}

/** CSS chooses between member and visitor, so that the right one shows before the app has loaded. */
function WaysIn() {
  return (
    <>
      <div className="hidden logged-in:contents">
        <ButtonLink to={paths.dashboard} size="sm">
          Dashboard
        </ButtonLink>
      </div>
      <div className="contents logged-in:hidden">
        <ButtonLink to={paths.login} variant="ghost" size="sm">
          Log in
        </ButtonLink>
        <ButtonLink to={paths.register} size="sm">
          Sign up
        </ButtonLink>
      </div>
    </>
  )
}

const footerLinks = [
  { to: paths.ugcCourse, label: 'The course' },
  { to: paths.terms, label: 'Terms of Service' },
  { to: paths.privacy, label: 'Privacy Policy' },
  { to: paths.help, label: 'Help' },
  { to: paths.solvency, label: 'Solvency' },
] as const

function Footer() {
  return (
    <footer className="border-t border-line bg-surface">
      <div className="mx-auto grid w-full max-w-6xl gap-8 px-5 py-10 sm:px-8 md:grid-cols-[1fr_auto]">
        <div className="max-w-xl">
          <Logo />
          <p className="mt-4 text-sm text-ink-faint">
            Investments can lose value. A plan’s return is a target, not guaranteed. The course teaches a craft and promises no income.
          </p>
          <p className="mt-3 text-sm text-ink-faint">
            {`${brand.company}, ${brand.address}`}
          </p>
        </div>
        <nav aria-label="Footer">
          <ul className="-my-2.5 text-sm">
            {footerLinks.map(({ to, label }) => (
              <li key={to}>
                <Link to={to} className="inline-flex min-h-11 items-center text-ink-soft underline-offset-3 hover:text-ink hover:underline">
                  {label}
                </Link>
              </li>
            ))}
            <li>
              <SupportLink className="inline-flex min-h-11 items-center text-ink-soft underline-offset-3 hover:text-ink hover:underline" />
            </li>
          </ul>
        </nav>
      </div>
    </footer>
  )
}
