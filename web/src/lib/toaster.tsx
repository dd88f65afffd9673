/** The toast area and how a message enters it [NAV-03]. */
import { ToastContainer, toast } from 'react-toastify/unstyled'
import 'react-toastify/ReactToastify.css'
import './toaster.css'

/** The same words are shown once at a time. */
export function raise(kind: 'success' | 'error' | 'warning' | 'info', title: string, description?: string) {
  const content = description ? (
    <div>
      <p className="font-medium">{title}</p>
      <p className="mt-0.5 text-ink-soft">{description}</p>
    </div>
  ) : (
    title
  )
  toast[kind](content, { toastId: `${kind}:${title}` })
}

export function Toaster() {
  return (
    <ToastContainer position="top-center" autoClose={4000} limit={3} hideProgressBar newestOnTop closeOnClick={false} />
  )
}
