import { Page } from '@/components/page'

export function ProfilePage() {
  return <Page title="Profile">{null}</Page>
}
