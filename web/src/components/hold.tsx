import { createContext, useCallback, useContext, useMemo, useRef, useState, type ReactNode } from 'react'
import { useOnce } from '@/lib/once'

type Hold = {
  /** Something that was begun inside has not ended. */
  isHeld: boolean
  hold: (running: Promise<unknown>) => void
}

const HoldContext = createContext<Hold>({ isHeld: false, hold: () => undefined })

/** Whether an act that was begun in the dialog around still runs: until it ends, the dialog cannot be left. */
export const useIsHeld = () => useContext(HoldContext).isHeld

/** `useOnce` of a button or a form; while it runs, the dialog around stays open. */
export function useAct() {
  const { hold } = useContext(HoldContext)
  const { busy, run } = useOnce()
  return {
    busy,
    run: (act: () => unknown) => {
      const running = run(act)
      if (running) hold(running)
      return running
    },
  }
}

/** What a dialog needs to stay open while something that was begun in it runs. */
export function useHold() {
  const running = useRef(0)
  const [isHeld, setIsHeld] = useState(false)
  const hold = useCallback((act: Promise<unknown>) => {
    const change = (by: number) => {
      running.current += by
      setIsHeld(running.current > 0)
    }
    const free = () => change(-1)
    change(1)
    void act.then(free, free)
  }, [])
  const value = useMemo(() => ({ isHeld, hold }), [isHeld, hold])
  /** Read at the moment of an event, when React may not have drawn yet. */
  return { value, isHeldNow: () => running.current > 0 }
}

export const HoldProvider = ({ value, children }: { value: Hold; children: ReactNode }) => <HoldContext value={value}>{children}</HoldContext>
