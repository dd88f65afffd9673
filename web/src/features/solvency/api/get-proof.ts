import { useQuery } from '@tanstack/react-query'
import { api } from '@/lib/api-client'
import type { ProofLeaf } from '@/lib/api-types'
import { sumCents } from '@/lib/money'
import { queryKeys } from '@/lib/query-keys'
import { noteCheck } from '../last-check'
import { verifyLeaf, type Published } from '../verify-leaf'

export type Verdict = { cents: number; leaves: number; isCounted: boolean }

/** The member's leaves, each verified in this browser against the publication. When they were is remembered here. */
export const useVerdict = (userId: string, published: Published & { at: string }, enabled: boolean) =>
  useQuery({
    queryKey: [...queryKeys.solvency, 'proof', published.at],
    queryFn: async ({ signal }): Promise<Verdict> => {
      const { at, leaves } = await api.get<{ at: string; leaves: ProofLeaf[] }>('/wallet/proof', { signal })
      const verified = await Promise.all(leaves.map((leaf) => verifyLeaf(userId, leaf, published)))
      const isCounted = at === published.at && verified.every(Boolean)
      noteCheck(userId, { at: new Date().toISOString(), isCounted })
      return { cents: sumCents(leaves.map((leaf) => leaf.amount)), leaves: leaves.length, isCounted }
    },
    enabled,
    meta: { silent: true },
  })
