import { useEffect, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'

const TYPING_MS = 250

/** What is typed, kept in the address under this name once the typing pauses. */
export function useTypedParam(name: string) {
  const [params, setParams] = useSearchParams()
  const { pathname } = useLocation()
  const wanted = params.get(name) ?? ''
  const [text, setText] = useState(wanted)
  useEffect(() => {
    if (text.trim() === wanted) return
    const timer = setTimeout(() => {
      // While the next page is being loaded this one still stands, and must not call the visitor back.
      if (window.location.pathname === pathname) setParams((now) => withParam(now, name, text.trim()), { replace: true })
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [name, text, wanted, pathname, setParams])
  return { text, setText, wanted }
}

/** The parameters with this one changed, or without it when it is empty. */
export function withParam(params: URLSearchParams, name: string, value: string) {
  const changed = new URLSearchParams(params)
  if (value) changed.set(name, value)
  else changed.delete(name)
  return changed
}
