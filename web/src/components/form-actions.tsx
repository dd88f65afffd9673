import { Button } from './button'

type FormActionsProps = { submitLabel: string; busyLabel: string; onCancel: () => void }

/** The buttons at the end of a form in a dialog. */
export function FormActions({ submitLabel, busyLabel, onCancel }: FormActionsProps) {
  return (
    <div className="flex justify-end gap-3">
      <Button variant="ghost" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" busyLabel={busyLabel}>
        {submitLabel}
      </Button>
    </div>
  )
}
