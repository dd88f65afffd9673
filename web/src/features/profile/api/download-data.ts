import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { isoDay } from '@/lib/dates'
import { saveFile } from '@/lib/files'

/** Everything that is kept about the member, as one archive. */
export const useDownloadData = () =>
  useMutation({
    mutationFn: async () => saveFile(await api.file('/users/export'), `solvane-data-${isoDay(new Date())}.zip`),
    meta: { fallbackMessage: 'Your data could not be downloaded. Please try again.' },
  })
