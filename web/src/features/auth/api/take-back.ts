import { useMutation } from '@tanstack/react-query'
import { api } from '@/lib/api-client'

/** What the link of a security mail does: undo a change of email [D-A1], or end everything at "This was not me" [D-A6]. */
export type MailedAct = 'undo' | 'not-me'

/** The screen shows the outcome. */
export const useMailedAct = (act: MailedAct) =>
  useMutation({
    mutationFn: (token: string) => api.post<{ message: string; isAddressTaken?: boolean }>(`/auth/${act}`, { token }, { isPublic: true }),
    meta: { silent: true },
  })
