import { PublicPage } from '../public-page'
import { Closing } from './landing/closing'
import { CreatorSection } from './landing/creator-section'
import { Hero } from './landing/hero'
import { PlansSection } from './landing/plans-section'
import { WalletSection } from './landing/wallet-section'

export function LandingPage() {
  return (
    <PublicPage>
      <Hero />
      <CreatorSection />
      <WalletSection />
      <PlansSection />
      <Closing />
    </PublicPage>
  )
}
