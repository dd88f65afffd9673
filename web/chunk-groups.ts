// Which modules share a file: on a slow network a file costs more than its bytes. Pages keep what only they need.

const inPackage = (...names: string[]) => names.map((name) => `/node_modules/${name}/`)
const inQuery = (...names: string[]) => names.map((name) => `/build/modern/${name}.js`)
const icons = (...names: string[]) => names.map((name) => `/icons/${name}.mjs`)
const components = (...names: string[]) => names.map((name) => `/src/components/${name}.ts`)
const lib = (...names: string[]) => names.map((name) => `/src/lib/${name}.ts`)
const pages = (...names: string[]) => names.map((name) => `/src/app/pages/${name}-page.tsx`)
const features = (...names: string[]) => names.map((name) => `/src/features/${name}.ts`)

const group = (name: string, priority: number, ...parts: string[][]) => ({
  name,
  priority,
  test: (id: string) => parts.flat().some((part) => id.includes(part)),
})

// A module goes into the first group, by priority, that asks for it or for a module that imports it. Nothing of the
// landing page may stand in a later group: it would load the whole of it.
export const chunkGroups = [
  group(
    'base',
    3,
    inPackage('react', 'react-dom', 'scheduler', 'react-router', 'zustand', 'clsx', 'react-toastify'),
    inQuery('query', 'mutation', 'queryClient', 'QueryClientProvider', 'useMutation'),
    icons('arrow-right', 'check', 'chevron-down', 'chevron-left', 'chevron-right', 'circle-check', 'circle-exclamation-point'),
    icons('clock', 'graduation-cap', 'info', 'lock', 'rotate-cw', 'triangle-exclamation-point', 'x'),
    icons('arrow-left', 'cloud-off', 'eye', 'eye-off', 'key-round', 'loader-circle', 'moon', 'play', 'sun'),
    ['vite/preload-helper', 'rolldown/runtime.js'],
    components('button', 'card', 'cx', 'dialog', 'field', 'form', 'logo', 'notice', 'page', 'spinner', 'support-link', 'toast-area'),
    ['error-boundary', 'first-render', 'loadable', 'page-outlet', 'return-path', 'skip-link', 'theme-toggle'].map((name) => `/src/app/${name}.ts`),
    lib('api-error', 'brand', 'early-answers', 'env', 'load-chunk', 'money', 'notify', 'once', 'pasted', 'paths', 'query-client', 'query-keys'),
    lib('connection', 'member-cache', 'new-version', 'session', 'theme', 'was-prerendered'),
  ),
  // For one page of visitors, and some of members.
  group('resend', 3, components('resend-button'), lib('refresh-user')),
  group('marketing', 3, ['/src/content/marketing.ts', '/src/app/course-facts.tsx']),
  group('api', 2, lib('api-client', 'http', 'id')),
  // A form brings what sends it; other pages need that once they stand.
  group('forms', 2, inPackage('axios', 'react-hook-form'), lib('forms', 'rules', 'transport')),
  group(
    'member',
    1,
    inQuery('queryObserver', 'infiniteQueryObserver', 'useBaseQuery', 'useQuery', 'useInfiniteQuery', 'queriesObserver', 'useQueries'),
    icons('bell', 'chart-no-axes-combined', 'download', 'external-link', 'file-text', 'layers', 'receipt-text', 'search', 'search-x', 'shield-exclamation-point', 'user-round'),
    components('amount', 'badge', 'copy-button', 'detail-list', 'drop-zone', 'long-list', 'money-button', 'more-button', 'notice', 'progress', 'segmented', 'skeleton', 'states', 'with-support'),
    lib('dates', 'durations', 'files', 'first-data', 'last-data', 'new-case', 'paged-query', 'submission', 'units'),
    ['/src/app/guard.tsx', '/src/app/member-layout.tsx', '/src/features/auth/api/check-session.ts', '/src/features/auth/api/log-out.ts'],
    features('transactions/api/list-transactions', 'investments/api/list-trades'),
    features('transactions/components/transaction-row', 'transactions/components/transaction-icon', 'transactions/steps', 'investments/portfolio'),
    // Where most visits begin.
    pages('dashboard'),
  ),
  // What everything is worth and what is on its way, on the dashboard, which needs nothing else of the plans.
  group('worth', 1, ['/src/app/pages/dashboard/first-figures'], components('sparkline'), lib('batch', 'held-plans'), features('investments/api/list-days', 'investments/api/list-plans', 'investments/value-index', 'investments/worth', 'investments/components/worth-card', 'transactions/components/moving-money')),
  // For staff and one page of members: elsewhere it would be in every member's way, or lead that page to the back office.
  group('landmark', 2, icons('landmark')),
  // One file for each area: a visitor who opens one of its pages opens the others next.
  group('money', 0, pages('deposits', 'withdrawals', 'transactions', 'transaction'), features('payment-methods/api/list-payment-methods'), components('confirmation'), lib('amounts', 'irreversible', 'pasted-payment')),
  // What comes once a page stands, on every page.
  group('later', 0, features('notices/components/notice-bell', 'notices/components/announcements'), ['/src/app/live-updates.ts'], lib('tabs', 'event-stream')),
  // The frame of the back office, and where it opens: nothing of the pages after it.
  group('office', 0, ['/src/app/pages/admin/admin-area', '/src/app/pages/admin/queue-page']),
  // Where what people proposed waits for others.
  group('proposals', 0, ['/src/app/pages/admin/proposals-page', '/src/app/pages/admin/announcements-page']),
  group('plans', 0, pages('investments', 'plans', 'plan', 'invest')),
  group('courses', 0, pages('courses', 'lesson')),
  // The visitor who registers needs the countries as well.
  group('countries', 2, ['/src/lib/country-names.json']),
  // The back office shows its list, too; the other account pages need none of its icons.
  group('activity', 0, pages('activity')),
  group('account', 0, pages('profile', 'payment-methods', 'add-payment-method', 'edit-payment-method')),
  group('review', 0, ['/src/app/pages/admin/review-page']),
]
