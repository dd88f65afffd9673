/** Shows a notice once, when it arrives while the member looks at this tab. */
import { useEffect, useRef } from 'react'
import type { Notice } from '@/lib/api-types'
import { notify } from '@/lib/notify'
import { showOf, wordsOf } from './words'

/** Several at once push each other away. */
const MOST = 3

export function useArrivals(notices: readonly Notice[] | undefined) {
  const known = useRef<Set<string>>(undefined)
  const since = useRef(0)
  useEffect(() => {
    if (!notices) return
    const isFirst = !known.current
    since.current ||= Date.now()
    const seen = (known.current ??= new Set())
    const arrived = notices.filter(({ id }) => !seen.has(id))
    for (const { id } of arrived) seen.add(id)
    if (isFirst || document.visibilityState === 'hidden') return
    // The login of this very page may be reported a moment later.
    const isOwn = ({ kind, at }: Notice) => kind === 'new_sign_in' && Date.parse(at) < since.current
    for (const notice of arrived.filter((one) => !one.readAt && !isOwn(one)).slice(0, MOST).reverse()) {
      const show = showOf(notice)
      const { title, text } = wordsOf(notice)
      if (show) notify[show](title, text)
    }
  }, [notices])
}
