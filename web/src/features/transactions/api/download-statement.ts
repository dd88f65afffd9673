import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { operations } from '@/lib/api-schema'
import { saveFile } from '@/lib/files'

type Query = Required<operations['get_transactions_statement']['parameters']['query']>

/** Days are UTC and inclusive, at most a year. */
export type StatementPeriod = Query & { format: Exclude<Query['format'], 'json'> }

export const statementFieldNames = ['from', 'to'] as const

export const useDownloadStatement = () =>
  useMutation({
    mutationFn: async ({ from, to, format }: StatementPeriod) => {
      const file = await api.file(`/transactions/statement?${new URLSearchParams({ from, to, format }).toString()}`)
      saveFile(file, `solvane-statement-${from}-${to}.${format}`)
    },
    meta: { fallbackMessage: 'An error occurred', inlineFields: statementFieldNames },
  })
