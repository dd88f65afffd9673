/** The pages that the build renders, so that they can be read before the app is loaded. */
import { paths } from '@/lib/paths'

export const prerenderedPages = {
  [paths.landing]: () => import('./pages/landing-page'),
  [paths.ugcCourse]: () => import('./pages/ugc-course-page'),
  [paths.terms]: () => import('./pages/terms-page'),
  [paths.privacy]: () => import('./pages/privacy-page'),
  [paths.login]: () => import('./pages/login-page'),
  [paths.register]: () => import('./pages/register-page'),
  [paths.forgotPassword]: () => import('./pages/forgot-password-page'),
}

/** For every unknown address. */
export const prerenderedNotFound = () => import('./pages/not-found-page')
