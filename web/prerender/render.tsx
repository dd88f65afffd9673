/** Renders the public pages at build time, and lists every address of the app. */
import { StrictMode, type ReactNode } from 'react'
import { prerender } from 'react-dom/static'
import { StaticRouter, createRoutesFromElements, type RouteObject } from 'react-router'
import { App } from '@/app/app'
import { prerenderedPages } from '@/app/prerendered-pages'
import { routes } from '@/app/router'
import { paths } from '@/lib/paths'

type Page = { address: string; file: string }

/** The pages that the build renders; `address` is one that shows it, `module` its code. */
export const prerendered: (Page & { module: string })[] = [
  ...Object.keys(prerenderedPages).map((address) =>
    address === paths.landing ? page(address, 'landing', 'index.html') : page(address, address.slice(1)),
  ),
  page('/404', 'not-found', '404.html'),
]

function page(address: string, name: string, file = `${name}.html`) {
  return { address, file, module: `src/app/pages/${name}-page.tsx` }
}

/** The page of every address of the app: prerendered, or empty until the app has come. */
export const pages: Page[] = addressesOf(createRoutesFromElements(routes)).map(
  (address) => prerendered.find((page) => page.address === address) ?? { address, file: 'app.html' },
)

/** The page's markup; what belongs into the head comes first. */
export async function renderPage(address: string): Promise<string> {
  const router = ({ children }: { children: ReactNode }) => <StaticRouter location={address}>{children}</StaticRouter>
  const app = (
    <StrictMode>
      <App router={router} />
    </StrictMode>
  )
  const { prelude } = await prerender(app, {
    // In one piece: parts that follow later would need inline scripts, which the content policy forbids.
    progressiveChunkSize: Infinity,
    onError: (error) => {
      throw error
    },
  })
  return new Response(prelude).text()
}

function addressesOf(routes: RouteObject[]): string[] {
  return routes.flatMap(({ path, children = [] }) => [...(path && path !== '*' ? [path] : []), ...addressesOf(children)])
}
