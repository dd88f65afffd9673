import { useState, type ComponentProps, type ReactNode } from 'react'
import { cx } from './cx'

type DropZoneProps = Pick<ComponentProps<'input'>, 'accept' | 'multiple' | 'aria-labelledby' | 'aria-invalid'> & {
  id: string
  className: string
  onPick: (files: File[]) => void
  children: ReactNode
}

/** An area to drop files on or to choose them in. Without `multiple`, it takes the first. */
export function DropZone({ id, className, onPick, children, ...input }: DropZoneProps) {
  const [over, setOver] = useState(false)
  const pick = (files: FileList | null) => {
    const picked = [...(files ?? [])]
    if (picked.length > 0) onPick(input.multiple ? picked : picked.slice(0, 1))
  }
  return (
    <label
      htmlFor={id}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        pick(event.dataTransfer.files)
      }}
      className={cx(
        'rounded-lg border border-dashed px-4 transition-colors',
        'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
        over ? 'border-accent bg-accent-soft' : 'hover:bg-sunken',
        input['aria-invalid'] ? 'border-negative' : !over && 'border-line-control',
        className,
      )}
    >
      {children}
      <input
        {...input}
        id={id}
        type="file"
        className="sr-only"
        onChange={(event) => {
          pick(event.target.files)
          event.target.value = ''
        }}
      />
    </label>
  )
}
