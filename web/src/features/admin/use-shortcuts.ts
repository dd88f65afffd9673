import { useEffect, useRef } from 'react'

type Shortcuts = Record<string, (() => void) | undefined>

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=radio]), textarea, select'))

/** Enter belongs to the link or button that has the focus. */
const hasOwnEnter = (target: EventTarget | null) => target instanceof HTMLElement && target.matches('a, button, summary, input')

/** Single keys that act on the page, unless somebody types, a dialog is open, or a modifier is held. */
export function useShortcuts(shortcuts: Shortcuts) {
  const current = useRef(shortcuts)
  useEffect(() => {
    current.current = shortcuts
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return
      if (event.key === 'Enter' && hasOwnEnter(event.target)) return
      const act = current.current[event.key]
      if (!act) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}
