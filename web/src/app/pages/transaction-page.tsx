import { SearchX } from 'lucide-react'
import { Suspense, lazy } from 'react'
import { useParams } from 'react-router'
import { ButtonLink } from '@/components/button'
import { Card } from '@/components/card'
import { Page } from '@/components/page'
import { Skeleton, Skeletons } from '@/components/skeleton'
import { EmptyState, ErrorPanel } from '@/components/states'
import { useTransaction } from '@/features/transactions/api/get-transaction'
import { TransactionDetails } from '@/features/transactions/components/transaction-details'
import type { Transaction } from '@/lib/api-types'
import { brand } from '@/lib/brand'
import { formatZoned } from '@/lib/dates'
import { loadChunk } from '@/lib/load-chunk'
import { paths } from '@/lib/paths'

const openWithdrawal = () => loadChunk(() => import('./transaction/open-withdrawal'))
const Destination = lazy(async () => ({ default: (await openWithdrawal()).Destination }))
const FeeChoice = lazy(async () => ({ default: (await openWithdrawal()).FeeChoice }))

const ArrivedPayments = lazy(async () => {
  const module = await loadChunk(() => import('@/features/wallet/components/arrived-payments'))
  return { default: module.ArrivedPayments }
})

const journey = () => loadChunk(() => import('@/features/transactions/components/journey'))
const Journey = lazy(async () => ({ default: (await journey()).Journey }))
const ReceiptButton = lazy(async () => ({ default: (await loadChunk(() => import('@/features/transactions/components/receipt-button'))).ReceiptButton }))
const SomethingWrong = lazy(async () => ({ default: (await journey()).SomethingWrong }))

export function TransactionPage() {
  const { id = '' } = useParams()
  const { transaction, isPending, isMissing, error, retry } = useTransaction(id)
  return (
    <Page title="Transaction details" width="form" back>
      {transaction ? (
        <div className="space-y-5">
          <p className="hidden text-sm print:block">{`${brand.name}, printed ${formatZoned(new Date())}`}</p>
          {transaction.steps.length > 1 && (
            <Suspense fallback={<Skeleton className="h-56" />}>
              <Journey transaction={transaction} />
            </Suspense>
          )}
          {isOpenWithdrawal(transaction) && (transaction.needsDestination || transaction.needsConfirmation) && (
            <div className="print:hidden">
              <Suspense fallback={<Skeleton className="h-72" />}>
                <Destination withdrawal={transaction} />
              </Suspense>
            </div>
          )}
          {transaction.kind === 'deposit' && transaction.status === 'failed' && (
            <div className="print:hidden">
              <Suspense>
                <ArrivedPayments afterRejection />
              </Suspense>
            </div>
          )}
          <TransactionDetails transaction={transaction} />
          {isOpenWithdrawal(transaction) && (
            <div className="print:hidden">
              <Suspense fallback={<Skeleton className="h-40" />}>
                <FeeChoice withdrawal={transaction} />
              </Suspense>
            </div>
          )}
          <div className="min-h-11 print:hidden">
            <Suspense>
              <ReceiptButton transaction={transaction} />
            </Suspense>
          </div>
          <Suspense>
            <SomethingWrong transaction={transaction} />
          </Suspense>
        </div>
      ) : isPending ? (
        <div className="space-y-4">
          <Skeletons count={1} className="h-64" label="Loading the transaction" />
          <Skeletons count={1} className="h-72" label="" />
        </div>
      ) : (
        <Card>
          {isMissing ? (
            <EmptyState
              icon={SearchX}
              title="Transaction not found"
              action={
                <ButtonLink to={paths.transactions} variant="secondary">
                  All transactions
                </ButtonLink>
              }
            />
          ) : (
            <ErrorPanel error={error} onRetry={retry} />
          )}
        </Card>
      )}
    </Page>
  )
}

const isOpenWithdrawal = ({ title, status }: Transaction) => title === 'Withdrawal' && status === 'pending'
