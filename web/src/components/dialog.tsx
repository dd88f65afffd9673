import { X } from 'lucide-react'
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Button, IconButton, type ButtonProps } from './button'
import { cx } from './cx'
import { ToastArea } from './toast-area'

type ModalProps = { open: boolean; onClose: () => void; className?: string; labelledBy?: string; label?: string; children: ReactNode }

/** The platform's own modal: focus stays inside, Escape and a click outside close it. */
export function Modal({ open, onClose, className, labelledBy, label, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const node = dialog.current
    if (!node) return
    if (open && !node.open) node.showModal()
    if (!open && node.open) node.close()
  }, [open])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={labelledBy}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      className={className}
    >
      {open && children}
      {open && <ToastArea />}
    </dialog>
  )
}

type DialogProps = { open: boolean; onClose: () => void; title: string; children: ReactNode; footer?: ReactNode }

export function Dialog({ open, onClose, title, children, footer }: DialogProps) {
  const heading = useId()
  return (
    <Modal
      open={open}
      onClose={onClose}
      labelledBy={heading}
      className={cx(
        'm-auto w-[calc(100%-2rem)] max-w-md rounded-xl border border-line bg-surface p-0 text-ink shadow-float',
        'open:animate-rise',
      )}
    >
      <div className="p-5 sm:p-6">
        <div className="flex items-start justify-between gap-4">
          <h2 id={heading} className="text-lg font-semibold">
            {title}
          </h2>
          <IconButton label="Close" onClick={onClose} className="-mt-2 -mr-2">
            <X aria-hidden className="size-5" />
          </IconButton>
        </div>
        <div className="mt-2 text-ink-soft">{children}</div>
        {footer && <div className="mt-6 flex flex-wrap justify-end gap-3">{footer}</div>}
      </div>
    </Modal>
  )
}

type ConfirmProps = Omit<DialogProps, 'footer'> & {
  /** What the button does that confirms. */
  confirm: string
  onConfirm: ButtonProps['onClick']
  busyLabel?: string
  variant?: 'primary' | 'danger'
  disabled?: boolean
  cancel?: string
}

/** Asks before something is done. */
export function ConfirmDialog({ confirm, onConfirm, busyLabel, variant = 'primary', disabled, cancel = 'Cancel', ...dialog }: ConfirmProps) {
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button variant="ghost" onClick={dialog.onClose}>
            {cancel}
          </Button>
          <Button variant={variant} busyLabel={busyLabel} disabled={disabled} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    />
  )
}
