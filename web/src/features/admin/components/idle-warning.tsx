import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { useIdle } from '../idle'

/** Logs out an unattended back office after a warning [D-S4]. */
export function IdleWarning({ onIdle }: { onIdle: () => void }) {
  const { isWarning, stay } = useIdle(onIdle)
  return (
    <Dialog
      open={isWarning}
      onClose={stay}
      title="Are you still there?"
      footer={
        <Button autoFocus onClick={stay}>
          Stay logged in
        </Button>
      }
    >
      <p className="text-sm">You will be logged out in one minute because of inactivity.</p>
    </Dialog>
  )
}
