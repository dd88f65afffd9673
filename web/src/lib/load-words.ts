const AFTER_MS = 3_000

/** Loads the app's texts of errors once the page stands. Earlier failures have the server's words, at once [D-L7]. */
export function loadWords() {
  const timer = setTimeout(() => void import('./error-words').catch(() => undefined), AFTER_MS)
  return () => clearTimeout(timer)
}
