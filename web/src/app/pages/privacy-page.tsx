import { privacy } from '@/content/legal'
import { LegalPage } from '../legal-page'

export function PrivacyPage() {
  return <LegalPage text={privacy} />
}
