import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { saveFile } from '@/lib/files'

/** Every posting so far as one file, a line of JSON each. */
export const useDownloadJournal = () =>
  useMutation({
    mutationFn: async () => {
      const parts: Blob[] = []
      let cursor = ''
      for (;;) {
        const { content, nextCursor } = await api.filePart(`/admin/journal?${new URLSearchParams({ cursor }).toString()}`)
        // A part without a line ends the journal.
        if (content.size === 0) break
        parts.push(content)
        cursor = nextCursor
      }
      saveFile(new Blob(parts, { type: 'application/x-ndjson' }), 'solvane-journal.ndjson')
    },
    meta: { fallbackMessage: 'The file could not be created' },
  })
