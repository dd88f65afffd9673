/** Toasts. The library is loaded with the first message, so that quiet pages do not pay for it. */
type Kind = 'success' | 'error' | 'warning' | 'info'

let host: (() => void) | undefined
let isWanted = false

/** The app registers how to put the toast area on the page; a page that opens at once may have spoken before. */
export function onFirstToast(mount: () => void) {
  host = mount
  if (isWanted) mount()
  return () => {
    host = undefined
    isWanted = false
  }
}

function show(kind: Kind, title: string, description?: string) {
  isWanted = true
  host?.()
  void import('./toaster').then(({ raise }) => raise(kind, title, description))
}

export const notify = {
  success: (title: string, description?: string) => show('success', title, description),
  error: (title: string, description?: string) => show('error', title, description),
  warning: (title: string, description?: string) => show('warning', title, description),
  info: (title: string, description?: string) => show('info', title, description),
}
