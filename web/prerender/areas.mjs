// The areas of members and staff by address, with the page that opens each. The longest address that fits is that of a page.
export const AREAS = {
  '/dashboard': 'dashboard-page',
  '/deposits': 'deposits-page',
  '/withdrawals': 'withdrawals-page',
  '/transactions': 'transactions-page',
  '/courses': 'courses-page',
  '/investments': 'investments-page',
  '/investments/plans/add': 'invest-page',
  '/profile': 'profile-page',
  '/payment-methods': 'payment-methods-page',
  '/admin': 'admin/admin-area',
  '/admin/review': 'admin/review-page',
}
