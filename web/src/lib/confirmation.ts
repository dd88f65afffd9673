import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { api } from './api-client'

/**
 * Confirms where payouts may go, by the code that was mailed, and has another code mailed. `subject` is the path of the
 * withdrawal or of the saved address, `shown` what shows whether it is confirmed [D-A4].
 */
export function useConfirmation(subject: string, shown: QueryKey) {
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: shown })
  const confirm = useMutation({
    mutationFn: (code: string) => api.post(`${subject}/confirm`, { code }),
    onSuccess: refresh,
    meta: { inlineFields: ['code'] },
  })
  const resend = useMutation({ mutationFn: () => api.post(`${subject}/confirm/resend`), onSuccess: refresh })
  return { confirm: confirm.mutateAsync, resend: () => resend.mutateAsync() }
}
