/** Toasts. The library is loaded with the first message, so that quiet pages do not pay for it. */
type Kind = 'success' | 'error' | 'warning' | 'info'

let host: (() => void) | undefined

/** The app registers how to put the toast area on the page. */
export function onFirstToast(mount: () => void) {
  host = mount
  return () => {
    host = undefined
  }
}

function show(kind: Kind, title: string, description?: string) {
  host?.()
  void import('./toaster').then(({ raise }) => raise(kind, title, description))
}

export const notify = {
  success: (title: string, description?: string) => show('success', title, description),
  error: (title: string, description?: string) => show('error', title, description),
  warning: (title: string, description?: string) => show('warning', title, description),
  info: (title: string, description?: string) => show('info', title, description),
}
