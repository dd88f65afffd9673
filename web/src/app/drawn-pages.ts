/** The pages that the build draws ahead, so that they are read before any of the app has come. */
import { paths } from '@/lib/paths'

export const drawnPages = {
  [paths.landing]: () => import('./pages/landing-page'),
  [paths.ugcCourse]: () => import('./pages/ugc-course-page'),
  [paths.terms]: () => import('./pages/terms-page'),
  [paths.privacy]: () => import('./pages/privacy-page'),
  [paths.login]: () => import('./pages/login-page'),
  [paths.register]: () => import('./pages/register-page'),
  [paths.forgotPassword]: () => import('./pages/forgot-password-page'),
}

/** Drawn for every address that is none. */
export const drawnNotFound = () => import('./pages/not-found-page')

/** Loads the code of the page at an address beside the app, which would ask for it only once it runs. */
export function loadDrawnPage(pathname: string): Promise<unknown> {
  const pages: Record<string, () => Promise<unknown>> = drawnPages
  return (pages[pathname.replace(/(?<=.)\/$/, '')] ?? drawnNotFound)()
}
