import { Suspense, type ComponentType } from 'react'
import { Route, Routes } from 'react-router'
import { PageLoader } from '@/components/spinner'
import { paths } from '@/lib/paths'
import { prerenderedNotFound, prerenderedPages } from './prerendered-pages'
import { FirstRender } from './first-render'
import { loadable } from './loadable'
import { SessionLayout } from './session-layout'
import { VisitorGate } from './visitor-gate'

/** A page; the first one reports that it is there. */
function page<Name extends string>(file: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return loadable(async () => {
    const Page: ComponentType = (await file())[name]
    return {
      Page: () => (
        <>
          <Page />
          <FirstRender />
        </>
      ),
    }
  }, 'Page')
}

const MemberGuard = loadable(() => import('./guard'), 'MemberGuard')
const MemberLayout = loadable(() => import('./member-layout'), 'MemberLayout')

const AdminArea = page(async () => {
  const area = await import('./pages/admin/admin-area')
  await area.loadPage(window.location.pathname)
  return area
}, 'AdminArea')

const LandingPage = page(prerenderedPages[paths.landing], 'LandingPage')
const UgcCoursePage = page(prerenderedPages[paths.ugcCourse], 'UgcCoursePage')
const TermsPage = page(prerenderedPages[paths.terms], 'TermsPage')
const PrivacyPage = page(prerenderedPages[paths.privacy], 'PrivacyPage')
const HelpPage = page(() => import('./pages/help-page'), 'HelpPage')
const StatusPage = page(() => import('./pages/status-page'), 'StatusPage')
const SolvencyPage = page(() => import('./pages/solvency-page'), 'SolvencyPage')
const CertificatePage = page(() => import('./pages/certificate-page'), 'CertificatePage')
const CheckPage = page(() => import('./pages/check-page'), 'CheckPage')
const NotFoundPage = page(prerenderedNotFound, 'NotFoundPage')

const LoginPage = page(prerenderedPages[paths.login], 'LoginPage')
const RegisterPage = page(prerenderedPages[paths.register], 'RegisterPage')
const ForgotPasswordPage = page(prerenderedPages[paths.forgotPassword], 'ForgotPasswordPage')
const ResetPasswordPage = page(() => import('./pages/reset-password-page'), 'ResetPasswordPage')
const MailedActPage = page(() => import('./pages/mailed-act-page'), 'MailedActPage')
const VerifyPage = page(() => import('./pages/verify-page'), 'VerifyPage')

const DashboardPage = page(async () => {
  const dashboard = await import('./pages/dashboard-page')
  await dashboard.loadFigures()
  return dashboard
}, 'DashboardPage')
const ActivityPage = page(() => import('./pages/activity-page'), 'ActivityPage')
const NoticesPage = page(() => import('./pages/notices-page'), 'NoticesPage')
const ProfilePage = page(() => import('./pages/profile-page'), 'ProfilePage')
const DepositsPage = page(() => import('./pages/deposits-page'), 'DepositsPage')
const WithdrawalsPage = page(() => import('./pages/withdrawals-page'), 'WithdrawalsPage')
const TransactionsPage = page(() => import('./pages/transactions-page'), 'TransactionsPage')
const TransactionPage = page(() => import('./pages/transaction-page'), 'TransactionPage')
const CoursesPage = page(() => import('./pages/courses-page'), 'CoursesPage')
const LessonPage = page(() => import('./pages/lesson-page'), 'LessonPage')
const InvestmentsPage = page(() => import('./pages/investments-page'), 'InvestmentsPage')
const PlansPage = page(() => import('./pages/plans-page'), 'PlansPage')
const PlanPage = page(() => import('./pages/plan-page'), 'PlanPage')
const InvestPage = page(() => import('./pages/invest-page'), 'InvestPage')
const PaymentMethodsPage = page(() => import('./pages/payment-methods-page'), 'PaymentMethodsPage')
const AddPaymentMethodPage = page(() => import('./pages/add-payment-method-page'), 'AddPaymentMethodPage')
const EditPaymentMethodPage = page(() => import('./pages/edit-payment-method-page'), 'EditPaymentMethodPage')
const CasesPage = page(() => import('./pages/cases-page'), 'CasesPage')

/** Every route of the app on one page. */
export const routes = (
  <>
    <Route path="/" element={<LandingPage />} />
    <Route path="/ugc-course" element={<UgcCoursePage />} />
    <Route path="/terms" element={<TermsPage />} />
    <Route path="/privacy" element={<PrivacyPage />} />
    <Route path="/help" element={<HelpPage />} />
    <Route path="/status" element={<StatusPage />} />
    <Route path="/solvency" element={<SolvencyPage />} />
    <Route path="/certificates/:number" element={<CertificatePage />} />
    <Route path="/check" element={<CheckPage />} />

    <Route element={<SessionLayout />}>
      <Route element={<VisitorGate />}>
        <Route path="/login" element={<LoginPage />} />
        <Route path="/register" element={<RegisterPage />} />
      </Route>
      <Route path="/forgot-password" element={<ForgotPasswordPage />} />
      <Route path="/reset-password" element={<ResetPasswordPage />} />
      <Route path="/verify" element={<VerifyPage />} />
      <Route path="/undo" element={<MailedActPage />} />
      <Route path="/not-me" element={<MailedActPage />} />
    </Route>

    <Route element={<MemberGuard />}>
      <Route element={<MemberLayout />}>
        <Route path="/dashboard" element={<DashboardPage />} />
        <Route path="/profile" element={<ProfilePage />} />
        <Route path="/profile/activity" element={<ActivityPage />} />
        <Route path="/notices" element={<NoticesPage />} />
        <Route path="/deposits" element={<DepositsPage />} />
        <Route path="/withdrawals" element={<WithdrawalsPage />} />
        <Route path="/transactions" element={<TransactionsPage />} />
        <Route path="/transactions/:id" element={<TransactionPage />} />
        <Route path="/courses" element={<CoursesPage />} />
        <Route path="/courses/lessons/:id" element={<LessonPage />} />
        <Route path="/investments" element={<InvestmentsPage />} />
        <Route path="/investments/plans" element={<PlansPage />} />
        <Route path="/investments/plans/:id" element={<PlanPage />} />
        <Route path="/investments/plans/add" element={<InvestPage />} />
        <Route path="/payment-methods" element={<PaymentMethodsPage />} />
        <Route path="/payment-methods/add" element={<AddPaymentMethodPage />} />
        <Route path="/payment-methods/:id/edit" element={<EditPaymentMethodPage />} />
        <Route path="/cases/*" element={<CasesPage />} />
      </Route>
    </Route>

    <Route path="/admin/*" element={<AdminArea />} />

    <Route path="*" element={<NotFoundPage />} />
  </>
)

export function Router() {
  return (
    <Suspense fallback={<PageLoader />}>
      <Routes>{routes}</Routes>
    </Suspense>
  )
}
