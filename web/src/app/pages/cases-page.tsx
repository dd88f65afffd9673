import { Route, Routes, useParams } from 'react-router'
import { ButtonLink } from '@/components/button'
import { Page } from '@/components/page'
import { CaseList } from '@/features/cases/components/case-list'
import { CaseThread } from '@/features/cases/components/case-thread'
import { NewCaseForm } from '@/features/cases/components/new-case-form'
import { newCase } from '@/lib/new-case'

/** The member's cases, one of them, and the form for another: one file, which members without a case never load. */
export function CasesPage() {
  return (
    <Routes>
      <Route index element={<List />} />
      <Route path="new" element={<New />} />
      <Route path=":id" element={<Thread />} />
    </Routes>
  )
}

const List = () => (
  <Page
    title="Cases"
    description="What you asked us, and our answers."
    action={
      <ButtonLink to={newCase()} size="sm">
        New case
      </ButtonLink>
    }
  >
    <CaseList />
  </Page>
)

const New = () => (
  <Page title="New case" description="We answer in your account, and an email tells you when." width="form" back>
    <NewCaseForm />
  </Page>
)

function Thread() {
  const { id = '' } = useParams()
  return (
    <Page title="Your case" width="form" back>
      <CaseThread id={id} />
    </Page>
  )
}
