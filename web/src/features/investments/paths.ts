import { paths } from '@/lib/paths'

/** The page of a plan; only pages of this area lead to it, so the others do not carry it. */
export const planPath = (id: string) => `${paths.plans}/${encodeURIComponent(id)}`
