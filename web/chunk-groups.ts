// Which modules share a file: on a slow network a file costs more than its bytes. Pages keep what only they need.

const inPackage = (...names: string[]) => names.map((name) => `/node_modules/${name}/`)
const inQuery = (...names: string[]) => names.map((name) => `/build/modern/${name}.js`)
const icons = (...names: string[]) => names.map((name) => `/icons/${name}.mjs`)
const components = (...names: string[]) => names.map((name) => `/src/components/${name}.ts`)
const lib = (...names: string[]) => names.map((name) => `/src/lib/${name}.ts`)
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
    components('button', 'card', 'cx', 'form', 'logo', 'page', 'spinner', 'toast-area'),
    lib('api-error', 'brand', 'env', 'load-chunk', 'money', 'notify', 'once', 'paths', 'query-client', 'query-keys'),
    lib('session', 'theme', 'was-prerendered'),
  ),
  group('api', 2, inPackage('axios'), lib('api-client', 'http', 'id')),
  group(
    'forms',
    2,
    inPackage('react-hook-form', '@hookform/resolvers'),
    icons('eye', 'eye-off'),
    components('field'),
    lib('forms', 'rules'),
  ),
  group(
    'member',
    1,
    inQuery('queryObserver', 'infiniteQueryObserver', 'useBaseQuery', 'useQuery', 'useInfiniteQuery'),
    icons('chart-no-axes-combined', 'receipt-text', 'search', 'user-round'),
    components('amount', 'badge', 'more-button', 'progress', 'segmented', 'skeleton', 'states'),
    lib('dates', 'durations', 'files', 'submission'),
    features('transactions/api/list-transactions', 'investments/api/list-trades'),
    features('transactions/components/transaction-row', 'transactions/components/transaction-icon', 'investments/portfolio'),
  ),
]
