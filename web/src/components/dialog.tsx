import { X } from 'lucide-react'
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Button, CancelButton, IconButton, type ButtonProps } from './button'
import { cx } from './cx'
import { HoldProvider, useHold, useIsHeld } from './hold'
import { ToastArea } from './toast-area'

type ModalProps = {
  open: boolean
  onClose: () => void
  className?: string
  labelledBy?: string
  label?: string
  /** It can be closed although something that was begun in it still runs. */
  canLeave?: boolean
  children: ReactNode
}

/**
 * The platform's own modal: focus stays inside, Escape and a click outside close it. While something that was begun in it
 * runs, nothing does: a dialog that is gone looks as if its act had been called off.
 */
export function Modal({ open, onClose, className, labelledBy, label, canLeave = false, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { value, isHeldNow } = useHold()
  const stays = () => isHeldNow() && !canLeave
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
      onCancel={(event) => stays() && event.preventDefault()}
      // A browser does not let a page refuse Escape twice in a row.
      onClose={({ target }) => target === dialog.current && (stays() && open ? dialog.current.showModal() : onClose())}
      // The second press of a double click that opened it lands outside.
      onClick={(event) => event.target === dialog.current && event.detail < 2 && !stays() && onClose()}
      className={className}
    >
      <HoldProvider value={canLeave ? { ...value, isHeld: false } : value}>{open && children}</HoldProvider>
      {open && <ToastArea />}
    </dialog>
  )
}

type DialogProps = Pick<ModalProps, 'open' | 'onClose' | 'canLeave' | 'children'> & { title: string; footer?: ReactNode }

export function Dialog({ open, onClose, canLeave, title, children, footer }: DialogProps) {
  const heading = useId()
  return (
    <Modal
      open={open}
      onClose={onClose}
      canLeave={canLeave}
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
          <CloseButton onClose={onClose} />
        </div>
        <div className="mt-2 text-ink-soft">{children}</div>
        {footer && <div className="mt-6 flex flex-wrap justify-end gap-3">{footer}</div>}
      </div>
    </Modal>
  )
}

function CloseButton({ onClose }: { onClose: () => void }) {
  return (
    <IconButton label="Close" onClick={onClose} disabled={useIsHeld()} className="-mt-2 -me-2 disabled:opacity-40">
      <X aria-hidden className="size-5" />
    </IconButton>
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
          <CancelButton onClick={dialog.onClose}>{cancel}</CancelButton>
          <Button variant={variant} busyLabel={busyLabel} disabled={disabled} onClick={onConfirm}>
            {confirm}
          </Button>
        </>
      }
    />
  )
}
