import { ArrowDown, ArrowUp, GripVertical, Plus } from 'lucide-react'
import { useState, type DragEvent, type ReactNode } from 'react'
import { Button, IconButton } from '@/components/button'
import { cx } from '@/components/cx'
import type { Content } from '../api/types'
import { addLesson, addModule, isSame, move, step, wholeCourse, type Place } from '../outline'

type CourseTreeProps = {
  content: Content
  selected: Place
  readOnly: boolean
  onSelect: (place: Place) => void
  onChange: (content: Content, selected: Place) => void
}

/** The outline: choose what to edit, and put it in order by dragging or by the buttons. */
export function CourseTree({ content, selected, readOnly, onSelect, onChange }: CourseTreeProps) {
  const [dragged, setDragged] = useState<Place>()
  const drop = (to: Place) => {
    if (!dragged || to.module === null) return
    // A module goes only between modules.
    const moved = move(content, dragged, dragged.lesson === null ? { module: to.module, lesson: null } : to)
    setDragged(undefined)
    onChange(moved.content, moved.place)
  }
  const row = (place: Place, label: string, look: string) => (
    <Row
      isSelected={isSame(place, selected)}
      label={label}
      look={look}
      onSelect={() => onSelect(place)}
      drag={readOnly ? undefined : { isOn: dragged !== undefined, onStart: () => setDragged(place), onEnd: () => setDragged(undefined), onDrop: () => drop(place) }}
    >
      {!readOnly && <Steps content={content} place={place} label={label} onChange={onChange} />}
    </Row>
  )
  return (
    <nav aria-label="Outline" className="space-y-1">
      <Row isSelected={isSame(wholeCourse, selected)} label={content.title || 'Untitled course'} look="font-semibold" onSelect={() => onSelect(wholeCourse)} />
      <ol className="space-y-1">
        {content.modules.map((module, index) => (
          <li key={index}>
            {row({ module: index, lesson: null }, `${index + 1}. ${module.title || 'Untitled module'}`, 'font-medium')}
            <ol className="ms-4 border-s border-line ps-1">
              {module.lessons.map((lesson, number) => (
                <li key={lesson.id}>{row({ module: index, lesson: number }, lesson.title || 'Untitled lesson', 'text-ink-soft')}</li>
              ))}
              {!readOnly && (
                <li>
                  <Button
                    variant="ghost"
                    size="sm"
                    icon={<Plus aria-hidden className="size-4" />}
                    onClick={() => onChange(addLesson(content, index), { module: index, lesson: module.lessons.length })}
                  >
                    Add a lesson<span className="sr-only"> to {module.title}</span>
                  </Button>
                </li>
              )}
            </ol>
          </li>
        ))}
      </ol>
      {!readOnly && (
        <Button
          variant="ghost"
          size="sm"
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => onChange(addModule(content), { module: content.modules.length, lesson: null })}
        >
          Add a module
        </Button>
      )}
    </nav>
  )
}

type Drag = { isOn: boolean; onStart: () => void; onEnd: () => void; onDrop: () => void }

type RowProps = { isSelected: boolean; label: string; look: string; onSelect: () => void; drag?: Drag; children?: ReactNode }

function Row({ isSelected, label, look, onSelect, drag, children }: RowProps) {
  const [isOver, setOver] = useState(false)
  const handlers = drag && {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData('text/plain', label)
      drag.onStart()
    },
    onDragEnd: drag.onEnd,
    onDragOver: (event: DragEvent) => {
      if (!drag.isOn) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      drag.onDrop()
    },
  }
  return (
    <div
      {...handlers}
      className={cx('flex items-center rounded-md', isSelected ? 'bg-accent-soft' : 'hover:bg-sunken', isOver && 'border-t-2 border-accent')}
    >
      {drag && <GripVertical aria-hidden className="size-4 shrink-0 cursor-grab text-ink-faint" />}
      <button
        type="button"
        aria-current={isSelected || undefined}
        onClick={onSelect}
        className={cx('min-h-9 min-w-0 flex-1 px-2 py-1 text-start text-sm pointer-coarse:min-h-11', look, isSelected && 'text-accent-text')}
      >
        <span className="line-clamp-2">{label}</span>
      </button>
      {children}
    </div>
  )
}

type StepsProps = { content: Content; place: Place; label: string; onChange: CourseTreeProps['onChange'] }

function Steps({ content, place, label, onChange }: StepsProps) {
  const button = (by: -1 | 1, verb: string, icon: ReactNode) => {
    const moved = step(content, place, by)
    return (
      <IconButton label={`Move ${label} ${verb}`} disabled={!moved} onClick={() => moved && onChange(moved.content, moved.place)} size="sm">
        {icon}
      </IconButton>
    )
  }
  return (
    <span className="flex shrink-0">
      {button(-1, 'up', <ArrowUp aria-hidden className="size-4" />)}
      {button(1, 'down', <ArrowDown aria-hidden className="size-4" />)}
    </span>
  )
}
