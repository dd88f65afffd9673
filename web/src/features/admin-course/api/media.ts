import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Captions } from '@/components/player/video'
import { api } from '@/lib/api-client'
import type { Media } from './types'

const keys = {
  all: ['course-media'],
  list: ['course-media', 'list'],
  one: (id: string) => ['course-media', 'one', id],
} as const

export const mediaAddress = '/admin/course/media'

const addressOf = (id: string) => `${mediaAddress}/${encodeURIComponent(id)}`

/** How often to look again while a file is uploaded or processed. */
const POLL_MS = 2_000

const isMoving = ({ state }: Media) => state === 'uploading' || state === 'queued' || state === 'processing'

const fileQuery = (id: string) => ({
  queryKey: keys.one(id),
  queryFn: async ({ signal }: { signal: AbortSignal }) => (await api.get<{ media: Media }>(addressOf(id), { signal })).media,
})

/** A file, and how far its processing has come. */
export const useMediaFile = (id: string) =>
  useQuery({
    ...fileQuery(id),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? POLL_MS : false),
    meta: { silent: true },
  })

/** Asks for a newly signed link to the video. */
export function useRenewedMedia(id: string) {
  const client = useQueryClient()
  return useCallback(async () => (await client.fetchQuery({ ...fileQuery(id), staleTime: 0 })).hls, [client, id])
}

/** All files, newest first. */
export const useMediaList = () =>
  useQuery({
    queryKey: keys.list,
    queryFn: async ({ signal }) => (await api.get<{ media: Media[] }>(mediaAddress, { signal })).media,
    refetchInterval: ({ state }) => (state.data?.some(isMoving) ? POLL_MS : false),
    meta: { silent: true },
  })

/** Shows what the server has after an upload. */
export function useReloadMedia() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: keys.all })
}

/** Ends an upload, or removes a file that no version has. */
export function useRemoveMedia() {
  const reload = useReloadMedia()
  return useMutation({
    mutationFn: async (id: string) => {
      await api.delete(addressOf(id))
    },
    onSettled: reload,
  })
}

function useCaptionsChange<Values>(id: string, send: (values: Values) => Promise<Captions[]>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: (captions) => client.setQueryData<Media>(keys.one(id), (media) => media && { ...media, captions }),
    meta: { inlineFields: ['vtt', 'label', 'language'] },
  })
}

const captionsAddress = (id: string, language: string) => `${addressOf(id)}/captions/${encodeURIComponent(language)}`

/** Captions take effect at once, also for what is published. */
export const usePutCaptions = (id: string) =>
  useCaptionsChange(
    id,
    async ({ language, ...captions }: { language: string; label: string; vtt: string }) =>
      (await api.put<{ captions: Captions[] }>(captionsAddress(id, language), captions)).captions,
  )

export const useDeleteCaptions = (id: string) =>
  useCaptionsChange(id, async (language: string) => (await api.delete<{ captions: Captions[] }>(captionsAddress(id, language))).captions)
