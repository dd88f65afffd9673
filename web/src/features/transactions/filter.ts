/** Which transactions are shown. It stands in the address, so that it is there again after Back. */
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { Transaction } from '@/lib/api-types'

export const statuses = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'success', label: 'Success' },
  { value: 'failed', label: 'Failed' },
] as const

export const types = [
  { value: 'all', label: 'All' },
  { value: 'credit', label: 'Credit' },
  { value: 'debit', label: 'Debit' },
] as const

/** What the server is asked for: a text, and days of the member's time zone, inclusive. Empty for all. */
export type Search = { q: string; from: string; to: string }

export type Filter = Search & { status: (typeof statuses)[number]['value']; type: (typeof types)[number]['value'] }

export const everything: Filter = { status: 'all', type: 'all', q: '', from: '', to: '' }

export const isSearch = ({ q, from, to }: Search) => Boolean(q || from || to)

/** Anything that is not a credit counts as a debit. */
export function matches(transaction: Transaction, { status, type }: Pick<Filter, 'status' | 'type'>) {
  const side = transaction.type === 'credit' ? 'credit' : 'debit'
  return (status === 'all' || transaction.status === status) && (type === 'all' || side === type)
}

const dayIn = (text: string | null) => (text && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '')

export function useFilter() {
  const [params, setParams] = useSearchParams()
  const query = params.toString()
  const filter = useMemo<Filter>(() => {
    const given = new URLSearchParams(query)
    return {
      status: statuses.find(({ value }) => value === given.get('status'))?.value ?? 'all',
      type: types.find(({ value }) => value === given.get('type'))?.value ?? 'all',
      q: given.get('q') ?? '',
      from: dayIn(given.get('from')),
      to: dayIn(given.get('to')),
    }
  }, [query])
  const setFilter = (next: Filter) =>
    setParams(new URLSearchParams(Object.entries(next).filter(([, value]) => value && value !== 'all')), { replace: true, preventScrollReset: true })
  return [filter, setFilter] as const
}
