import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import { saveFile } from '@/lib/files'

/** Days are UTC and inclusive, at most a year. */
export type StatementPeriod = { from: string; to: string; format: 'pdf' | 'csv' }

export const statementFieldNames = ['from', 'to'] as const

export const useDownloadStatement = () =>
  useMutation({
    mutationFn: async ({ from, to, format }: StatementPeriod) => {
      const file = await api.file(`/transactions/statement?${new URLSearchParams({ from, to, format }).toString()}`)
      saveFile(file, `solvane-statement-${from}-${to}.${format}`)
    },
    meta: { fallbackMessage: 'An error occurred', inlineFields: statementFieldNames },
  })
