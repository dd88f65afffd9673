import { terms } from '@/content/legal'
import { LegalPage } from '../legal-page'

export function TermsPage() {
  return <LegalPage text={terms} />
}
