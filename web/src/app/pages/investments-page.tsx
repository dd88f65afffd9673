import { Suspense, lazy } from 'react'
import { ButtonLink } from '@/components/button'
import { Page } from '@/components/page'
import { TradeGrid } from '@/features/investments/components/trade-grid'
import { TradeHistory } from '@/features/investments/components/trade-history'
import { loadChunk } from '@/lib/load-chunk'
import { paths } from '@/lib/paths'

const PortfolioOverview = lazy(async () => {
  const module = await loadChunk(() => import('@/features/investments/components/portfolio-overview'))
  return { default: module.PortfolioOverview }
})

export function InvestmentsPage() {
  return (
    <Page
      title="Investments"
      description="Your live trades at their current value."
      action={<ButtonLink to={paths.plans}>Invest Now</ButtonLink>}
    >
      <TradeGrid />
      <Suspense>
        <PortfolioOverview />
      </Suspense>
      <TradeHistory />
    </Page>
  )
}
