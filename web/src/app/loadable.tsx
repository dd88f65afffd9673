/** Components whose code has a file of its own. */
import { isValidElement, lazy, useState, type ComponentType, type ReactNode } from 'react'
import { createRoutesFromElements, matchRoutes } from 'react-router'
import { loadChunk } from '@/lib/load-chunk'

type Loadable<Props> = ComponentType<Props> & { load: () => Promise<unknown> }

/**
 * The component that a file exports as `name`, loaded when it is first rendered, or before by `load`. Once it is loaded it
 * renders at once: what waits at a Suspense boundary waits for 300 ms, the least time that React shows a fallback.
 */
export function loadable<Name extends string, Props extends object = object>(file: () => Promise<Record<Name, ComponentType<Props>>>, name: Name): Loadable<Props> {
  let loaded: ComponentType<Props> | undefined
  const load = async () => {
    loaded ??= (await loadChunk(file))[name]
    return loaded
  }
  const Pending: ComponentType<Props> = lazy(async () => ({ default: await load() }))
  function Component(props: Props) {
    // One of both for as long as it is shown: the other would begin without its state.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? Pending)
    return <Shown {...props} />
  }
  return Object.assign(Component, { load })
}

/** Loads every component of the page at an address at once; each would only be asked for by the one around it. */
export async function loadRoute(routes: ReactNode, pathname: string, basename?: string): Promise<void> {
  const matches = matchRoutes(createRoutesFromElements(routes), pathname, basename) ?? []
  const components = matches.map(({ route: { element } }) => (isValidElement(element) ? (element.type as Partial<Loadable<object>>) : {}))
  await Promise.all(components.flatMap(({ load }) => (load ? [load()] : [])))
}
