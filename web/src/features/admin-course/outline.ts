/** Changes of the outline, each as a new value. */
import type { Content, Lesson, Module } from './api/types'

/** What is being edited: the course, a module, or a lesson of it. */
export type Place = { module: number | null; lesson: number | null }

export const wholeCourse: Place = { module: null, lesson: null }

export const isSame = (one: Place, other: Place) => one.module === other.module && one.lesson === other.lesson

export const moduleAt = (content: Content, { module }: Place) => (module === null ? undefined : content.modules[module])

export const lessonAt = (content: Content, place: Place) => (place.lesson === null ? undefined : moduleAt(content, place)?.lessons[place.lesson])

const replaced = <T>(list: readonly T[], at: number, value: T) => list.map((one, index) => (index === at ? value : one))

const without = <T>(list: readonly T[], at: number) => list.filter((_, index) => index !== at)

const inserted = <T>(list: readonly T[], at: number, value: T) => [...list.slice(0, at), value, ...list.slice(at)]

export function changeModule(content: Content, at: number, change: Partial<Module>): Content {
  const module = content.modules[at]
  return module ? { ...content, modules: replaced(content.modules, at, { ...module, ...change }) } : content
}

export function changeLesson(content: Content, { module, lesson }: Place, change: Partial<Lesson>): Content {
  if (module === null || lesson === null) return content
  const lessons = content.modules[module]?.lessons ?? []
  const before = lessons[lesson]
  return before ? changeModule(content, module, { lessons: replaced(lessons, lesson, { ...before, ...change }) }) : content
}

/** The same wherever the lesson is by now; nothing if it is gone. */
export function changeLessonOf(content: Content, id: string, change: (lesson: Lesson) => Partial<Lesson>): Content {
  for (const [module, { lessons }] of content.modules.entries()) {
    const lesson = lessons.findIndex((other) => other.id === id)
    const before = lessons[lesson]
    if (before) return changeLesson(content, { module, lesson }, change(before))
  }
  return content
}

export function remove(content: Content, { module, lesson }: Place): Content {
  if (module === null) return content
  if (lesson === null) return { ...content, modules: without(content.modules, module) }
  return changeModule(content, module, { lessons: without(content.modules[module]?.lessons ?? [], lesson) })
}

const lessonIds = (content: Content) => content.modules.flatMap(({ lessons }) => lessons.map(({ id }) => id))

export function addModule(content: Content): Content {
  return { ...content, modules: [...content.modules, { title: 'New module', summary: '', lessons: [] }] }
}

export function addLesson(content: Content, module: number): Content {
  const taken = lessonIds(content)
  let id = 'new-lesson'
  for (let number = 2; taken.includes(id); number++) id = `new-lesson-${number}`
  const lesson = { id, title: 'New lesson', minutes: 5, preview: false, markdown: '' }
  return changeModule(content, module, { lessons: [...(content.modules[module]?.lessons ?? []), lesson] })
}

/** Takes what is at one place and puts it before what is at the other; a lesson also at the end of a module. */
export function move(content: Content, from: Place, to: Place): { content: Content; place: Place } {
  const stays = { content, place: from }
  if (from.module === null || to.module === null || isSame(from, to)) return stays
  if (from.lesson === null) {
    const moved = content.modules[from.module]
    if (!moved) return stays
    const target = to.module > from.module ? to.module : Math.min(to.module, content.modules.length - 1)
    return {
      content: { ...content, modules: inserted(without(content.modules, from.module), target, moved) },
      place: { module: target, lesson: null },
    }
  }
  const moved = lessonAt(content, from)
  if (!moved) return stays
  const rest = remove(content, from)
  const lessons = rest.modules[to.module]?.lessons ?? []
  const target = Math.min(to.lesson ?? lessons.length, lessons.length)
  return {
    content: changeModule(rest, to.module, { lessons: inserted(lessons, target, moved) }),
    place: { module: to.module, lesson: target },
  }
}

/** One step up or down; a lesson at the edge of its module goes into the next one. */
export function step(content: Content, from: Place, by: -1 | 1): { content: Content; place: Place } | undefined {
  if (from.module === null) return undefined
  if (from.lesson === null) {
    const target = from.module + by
    return content.modules[target] ? move(content, from, { module: target, lesson: null }) : undefined
  }
  const target = from.lesson + by
  const own = content.modules[from.module]?.lessons ?? []
  if (own[target]) return move(content, from, { module: from.module, lesson: target })
  const next = content.modules[from.module + by]
  if (!next) return undefined
  return move(content, from, { module: from.module + by, lesson: by === 1 ? 0 : next.lessons.length })
}
