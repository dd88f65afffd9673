// The areas of members and staff by address, with the page that opens each, and what it shows at once. The longest address that
// fits is that of a page.
export const AREAS = {
  '/dashboard': ['app/pages/dashboard-page', 'features/investments/components/worth-card'],
  '/deposits': 'app/pages/deposits-page',
  '/withdrawals': 'app/pages/withdrawals-page',
  '/transactions': 'app/pages/transactions-page',
  '/courses': 'app/pages/courses-page',
  '/investments': 'app/pages/investments-page',
  '/investments/plans/add': 'app/pages/invest-page',
  '/profile': 'app/pages/profile-page',
  '/payment-methods': 'app/pages/payment-methods-page',
  '/admin': 'app/pages/admin/admin-area',
  '/admin/review': 'app/pages/admin/review-page',
}
