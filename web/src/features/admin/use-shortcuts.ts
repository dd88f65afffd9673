import { useLayoutEffect, useRef } from 'react'

type Shortcuts = Record<string, (() => void) | undefined>

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=radio]), textarea, select'))

/** Enter acts on the focused link or button. */
const hasOwnEnter = (target: EventTarget | null) => target instanceof HTMLElement && target.matches('a, button, summary, input')

/** Single-key shortcuts, ignored while typing, in dialogs and with modifiers. */
export function useShortcuts(shortcuts: Shortcuts) {
  const current = useRef(shortcuts)
  // Before the page is painted: the keys work as soon as it is seen.
  useLayoutEffect(() => {
    current.current = shortcuts
  })
  useLayoutEffect(() => {
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
