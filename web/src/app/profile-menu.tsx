import { Suspense, useState, useTransition, type KeyboardEvent } from 'react'
import { AccountButton } from './account-button'
import { loadable } from './loadable'

/** Apart from the page, which can be read before its menu is there. */
export const loadAccountMenu = () => import('./account-menu')

const AccountMenu = loadable(loadAccountMenu, 'AccountMenu')

/** The button with the member's photo, and the menu once it was asked for. */
export function ProfileMenu() {
  const [asked, setAsked] = useState(false)
  // The button keeps the focus until the menu has come.
  const [isLoading, startLoading] = useTransition()
  const ask = () => startLoading(() => setAsked(true))
  const askByKey = ({ key }: KeyboardEvent) => {
    if (key === 'ArrowDown') ask()
  }
  return (
    <Suspense fallback={null}>
      {asked ? <AccountMenu /> : <AccountButton aria-expanded={false} aria-busy={isLoading} onClick={ask} onKeyDown={askByKey} />}
    </Suspense>
  )
}
