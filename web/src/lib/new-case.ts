import { paths } from '@/lib/paths'

/** The address of the form of a case, about something. */
export const newCase = (topic = '', about?: { kind: string; reference: string } | null) =>
  `${paths.cases}/new?${new URLSearchParams({ topic, ...about }).toString()}`
