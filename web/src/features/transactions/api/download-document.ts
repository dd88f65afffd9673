import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { saveFile } from '@/lib/files'

/** A document of ours: its address in the API, and the name of the file. */
export type Download = { path: string; name: string }

export const useDownloadDocument = () =>
  useMutation({
    mutationFn: async ({ path, name }: Download) => saveFile(await api.file(path), name),
    meta: { fallbackMessage: 'An error occurred' },
  })
