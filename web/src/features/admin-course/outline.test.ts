import { describe, expect, it } from 'vitest'
import type { Content } from './api/types'
import { changes, compare } from './changes'
import { addLesson, changeLesson, move, remove, step } from './outline'

const lesson = (id: string) => ({ id, title: id.toUpperCase(), minutes: 5, preview: false, markdown: `About ${id}` })

const content: Content = {
  title: 'Course',
  subtitle: '',
  modules: [
    { title: 'One', summary: '', lessons: [lesson('a'), lesson('b')] },
    { title: 'Two', summary: '', lessons: [lesson('c')] },
  ],
}

const ids = (of: Content) => of.modules.map(({ lessons }) => lessons.map(({ id }) => id).join('')).join('|')

describe('the order of lessons and modules [D-C4]', () => {
  it('moves a lesson step by step, also into the next module and back', () => {
    const down = step(content, { module: 0, lesson: 1 }, 1)
    expect(down && ids(down.content)).toBe('a|bc')
    expect(down?.place).toEqual({ module: 1, lesson: 0 })
    const up = down && step(down.content, down.place, -1)
    expect(up && ids(up.content)).toBe('ab|c')
    expect(up?.place).toEqual({ module: 0, lesson: 1 })
    expect(step(content, { module: 0, lesson: 0 }, -1)).toBeUndefined()
    expect(step(content, { module: 1, lesson: 0 }, 1)).toBeUndefined()
  })

  it('drops a lesson before another one, or at the end of a module', () => {
    expect(ids(move(content, { module: 1, lesson: 0 }, { module: 0, lesson: 1 }).content)).toBe('acb|')
    expect(ids(move(content, { module: 0, lesson: 0 }, { module: 1, lesson: null }).content)).toBe('b|ca')
    expect(ids(move(content, { module: 0, lesson: 1 }, { module: 0, lesson: 0 }).content)).toBe('ba|c')
  })

  it('moves modules with their lessons', () => {
    expect(ids(move(content, { module: 1, lesson: null }, { module: 0, lesson: null }).content)).toBe('c|ab')
    expect(ids(move(content, { module: 0, lesson: null }, { module: 1, lesson: null }).content)).toBe('c|ab')
    expect(step(content, { module: 1, lesson: null }, 1)).toBeUndefined()
  })

  it('gives each new lesson an address of its own, and changes nothing else', () => {
    const two = addLesson(addLesson(content, 0), 1)
    expect(two.modules.map(({ lessons }) => lessons.at(-1)?.id)).toEqual(['new-lesson', 'new-lesson-2'])
    expect(ids(remove(two, { module: 0, lesson: 2 }))).toBe('ab|cnew-lesson-2')
    expect(changeLesson(content, { module: 1, lesson: 0 }, { title: 'New' }).modules[1]?.lessons[0]?.title).toBe('New')
    expect(content.modules[1]?.lessons[0]?.title).toBe('C')
  })
})

describe('what a draft changes [D-C4]', () => {
  it('compares texts line by line', () => {
    expect(compare('a\nb\nc', 'a\nx\nc').map(({ kind, text }) => `${kind} ${text}`)).toEqual(['same a', 'removed b', 'added x', 'same c'])
    expect(compare('a', 'a')).toEqual([{ kind: 'same', text: 'a' }])
  })

  it('names new, changed, removed and reordered parts, and nothing when there is no change', () => {
    expect(changes(content, content)).toEqual([])
    const text = changeLesson(content, { module: 0, lesson: 0 }, { markdown: 'Other' })
    expect(changes(content, text).map(({ title, what }) => `${title} ${what}`)).toEqual(['A Changed'])
    const moved = move(content, { module: 1, lesson: null }, { module: 0, lesson: null }).content
    expect(changes(content, moved).map(({ title }) => title)).toEqual(['Outline'])
    const other = addLesson(remove(content, { module: 1, lesson: 0 }), 1)
    expect(changes(content, other).map(({ title, what }) => `${title} ${what}`)).toEqual(['Outline Changed', 'New lesson New lesson', 'C Removed'])
  })
})
