import { useState } from 'react'
import { Card, CardHeader } from '@/components/card'
import type { NoticePreferences } from '@/lib/api-types'
import { canPush } from '@/lib/push-device'
import { useMember } from '@/lib/session'
import { usePush, useSwitchPush } from '../api/push'
import { GroupChoices } from './group-choices'

/** Notices on this device, where the server sends any [D-M7]. */
export function PushCard({ preferences }: { preferences?: NoticePreferences }) {
  const { data } = usePush()
  if (!data?.publicKey) return null
  return (
    <Card>
      <CardHeader title="Notices on this device" description="Shown also while the app is closed, without amounts." />
      {canPush() ? (
        <Switch publicKey={data.publicKey} isOn={data.isOn} preferences={preferences} />
      ) : (
        <Sentence>This browser cannot show notices. On an iPhone or iPad, add the app to the home screen and open it there.</Sentence>
      )}
    </Card>
  )
}

const Sentence = ({ children }: { children: string }) => <p className="p-5 text-sm text-ink-soft sm:p-6">{children}</p>

type SwitchProps = { publicKey: string; isOn: boolean; preferences?: NoticePreferences }

function Switch({ publicKey, isOn, preferences }: SwitchProps) {
  const { mutate, isPending } = useSwitchPush(publicKey, useMember().id)
  const [permission, setPermission] = useState(() => Notification.permission)
  if (permission === 'denied') {
    return <Sentence>Notices are blocked in the settings of your browser. Allow them there for this site, then reload the page.</Sentence>
  }
  const isShown = isOn && permission === 'granted'
  return (
    <>
      <label className="flex min-h-11 items-center gap-3 p-5 text-sm sm:p-6">
        <input
          type="checkbox"
          role="switch"
          className="size-4.5 shrink-0 accent-accent"
          disabled={isPending}
          checked={isShown}
          onChange={({ target }) => mutate(target.checked, { onSettled: () => setPermission(Notification.permission) })}
        />
        <span>
          <span className="block font-medium">Show notices here</span>
          <span className="block text-ink-faint">Always about security, withdrawals, rejections, corrections and complaints</span>
        </span>
      </label>
      {isShown && preferences && (
        <div className="border-t border-line">
          <p aria-hidden className="px-5 pt-4 -mb-3 text-sm text-ink-faint sm:px-6 sm:-mb-4">
            And about
          </p>
          <GroupChoices legend="Notices that you want on this device" way="push" preferences={preferences} />
        </div>
      )}
    </>
  )
}
