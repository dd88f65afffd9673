import { Page } from '@/components/page'

export function PlansPage() {
  return <Page title="Investment plans">{null}</Page>
}
