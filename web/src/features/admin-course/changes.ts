/** What a draft changes, for people. */
import type { Content, Lesson } from './api/types'

export type Line = { kind: 'same' | 'added' | 'removed'; text: string }

export type Change = { title: string; what: string; lines: Line[] }

/** Texts of more lines than this are shown as replaced: the comparison takes their product. */
const MOST_LINES = 1_000

/** A comparison line by line: the longest common part stays. */
export function compare(before: string, after: string): Line[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  const whole = [...a.map((text) => ({ kind: 'removed' as const, text })), ...b.map((text) => ({ kind: 'added' as const, text }))]
  if (a.length > MOST_LINES || b.length > MOST_LINES) return whole
  const width = b.length + 1
  const common = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j] ? (common[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0)
    }
  }
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' })
      i++
      j++
    } else if (j === b.length || (i < a.length && (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))) {
      lines.push({ kind: 'removed', text: a[i++] ?? '' })
    } else {
      lines.push({ kind: 'added', text: b[j++] ?? '' })
    }
  }
  return lines
}

/** The name of an uploaded file by its id. */
type NameOf = (media: string) => string

const facts = ({ title, minutes, preview, video, attachments = [] }: Lesson, nameOf: NameOf) =>
  [
    `Title: ${title}`,
    `Minutes: ${minutes}`,
    `Free preview: ${preview ? 'yes' : 'no'}`,
    `Video: ${video ? nameOf(video) : 'none'}`,
    ...attachments.map(({ media, name }) => `Download: ${name} (${nameOf(media)})`),
  ].join('\n')

const text = (lesson: Lesson, nameOf: NameOf) => `${facts(lesson, nameOf)}\n\n${lesson.markdown}`

/** Files of the same name are different ones, too. */
const filesOf = ({ video, attachments = [] }: Lesson) => [video, ...attachments.map(({ media }) => media)].join()

const outline = (content: Content) =>
  [`${content.title}: ${content.subtitle}`, ...content.modules.flatMap(({ title, summary, lessons }, index) => [
    `Module ${index + 1}: ${title} (${summary})`,
    ...lessons.map((lesson) => `  ${lesson.title}`),
  ])].join('\n')

/** All changes: the outline, then each lesson. */
export function changes(before: Content, after: Content, nameOf: NameOf = (media) => media): Change[] {
  const lessonsOf = (content: Content) => new Map(content.modules.flatMap(({ lessons }) => lessons.map((lesson) => [lesson.id, lesson] as const)))
  const [old, now] = [lessonsOf(before), lessonsOf(after)]
  const found: Change[] = []
  if (outline(before) !== outline(after)) found.push({ title: 'Outline', what: 'Changed', lines: compare(outline(before), outline(after)) })
  for (const [id, lesson] of now) {
    const was = old.get(id)
    if (!was) found.push({ title: lesson.title, what: 'New lesson', lines: compare('', text(lesson, nameOf)).filter(({ kind }) => kind === 'added') })
    else if (text(was, nameOf) !== text(lesson, nameOf) || filesOf(was) !== filesOf(lesson)) {
      found.push({ title: lesson.title, what: 'Changed', lines: compare(text(was, nameOf), text(lesson, nameOf)) })
    }
  }
  for (const [id, lesson] of old) if (!now.has(id)) found.push({ title: lesson.title, what: 'Removed', lines: [] })
  return found
}
