import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { saveFile } from '@/lib/files'
import { withQuery } from '@/lib/paged-query'
import { forSpreadsheet } from '../csv'

type Wanted = { url: string; filter: object; name: string }

/** All that matches, as a file. */
export const useCsvFile = () =>
  useMutation({
    mutationFn: async ({ url, filter, name }: Wanted) => saveFile(forSpreadsheet(await api.file(withQuery(url, { ...filter, format: 'csv' }))), `${name}.csv`),
    meta: { fallbackMessage: 'The file could not be created' },
  })
