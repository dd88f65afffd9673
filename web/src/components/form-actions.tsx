import type { ReactNode } from 'react'
import { Button, CancelButton } from './button'

type FormActionsProps = { submitLabel: string; busyLabel: string; onCancel: () => void }

/** The buttons at the end of a form in a dialog. */
export function FormActions({ submitLabel, busyLabel, onCancel }: FormActionsProps) {
  return (
    <div className="flex justify-end gap-3">
      <CancelButton onClick={onCancel} />
      <Button type="submit" busyLabel={busyLabel}>
        {submitLabel}
      </Button>
    </div>
  )
}

/** The buttons at the end of a form within a page: the given one, and Cancel. */
export function StepActions({ onCancel, children }: { onCancel: () => void; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-3">
      {children}
      <CancelButton onClick={onCancel} />
    </div>
  )
}
