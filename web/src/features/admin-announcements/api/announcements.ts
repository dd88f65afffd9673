import { useQuery } from '@tanstack/react-query'
import { adminKeys } from '@/features/admin/api/keys'
import { useStaffAction } from '@/features/admin/api/use-staff-action'
import { api } from '@/lib/api-client'
import type { Status } from '@/lib/api-types'

/** Those that are shown now. */
export const useAnnouncements = () =>
  useQuery({
    queryKey: [...adminKeys.all, 'announcements'],
    queryFn: ({ signal }) => api.get<Status>('/status', { signal }),
    select: ({ announcements }) => announcements,
    meta: { silent: true },
  })

export const announcementFields = ['text', 'hours'] as const

/** It is shown once another person has confirmed it [D-M7]. */
export const useProposeAnnouncement = () =>
  useStaffAction((fields: { text: string; hours: number }, options) => api.post('/admin/announcements', fields, options), announcementFields)

/** Ends one before its time. */
export const useEndAnnouncement = () =>
  useStaffAction((id: string, options) => api.delete(`/admin/announcements/${encodeURIComponent(id)}`, options))
