/** The first link of a page with navigation: it leads keyboards past it. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className="sr-only z-50 rounded-md bg-accent px-4 py-3 font-semibold text-accent-ink focus:not-sr-only focus:fixed focus:top-3 focus:inset-s-3"
    >
      Skip to content
    </a>
  )
}
