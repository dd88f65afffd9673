import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { Note } from './course'

type NoteText = Pick<Note, 'position' | 'text'>

const address = (lessonId: string, noteId?: string) =>
  `/courses/lessons/${encodeURIComponent(lessonId)}/notes${noteId ? `/${encodeURIComponent(noteId)}` : ''}`

/** The member's notes on a lesson, in the order of the video. */
export const useNotes = (lessonId: string) =>
  useQuery({
    queryKey: ['course-notes', lessonId],
    queryFn: async ({ signal }) => (await api.get<{ notes: Note[] }>(address(lessonId), { signal })).notes,
    meta: { silent: true },
  })

const inOrder = (notes: readonly Note[]) => [...notes].sort((one, other) => one.position - other.position || one.createdAt.localeCompare(other.createdAt))

/** One change of the notes; the list takes its result over. */
function useNoteChange<Values, Result>(lessonId: string, send: (values: Values) => Promise<Result>, apply: (notes: readonly Note[], result: Result, values: Values) => Note[]) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: (result, values) => {
      client.setQueryData<Note[]>(['course-notes', lessonId], (notes) => notes && apply(notes, result, values))
    },
    meta: { inlineFields: ['text'], fallbackMessage: 'The note could not be saved' },
  })
}

export const useAddNote = (lessonId: string) =>
  useNoteChange(
    lessonId,
    async (note: NoteText) => (await api.post<{ note: Note }>(address(lessonId), note)).note,
    (notes, note) => inOrder([...notes, note]),
  )

export const useChangeNote = (lessonId: string) =>
  useNoteChange(
    lessonId,
    async ({ id, position, text }: NoteText & { id: string }) => (await api.put<{ note: Note }>(address(lessonId, id), { position, text })).note,
    (notes, note) => notes.map((other) => (other.id === note.id ? note : other)),
  )

export const useDeleteNote = (lessonId: string) =>
  useNoteChange(
    lessonId,
    async (id: string) => {
      await api.delete(address(lessonId, id))
    },
    (notes, _, id) => notes.filter((other) => other.id !== id),
  )
