import { expect, it } from 'vitest'
import { takeEarlyAnswer } from './early-answers'
import { queryClient } from './query-client'
import { useSession } from './session'

/** What the page asked for before the app was there. */
function askedEarly() {
  useSession.setState({ user: { id: 'm1' } as NonNullable<ReturnType<typeof useSession.getState>['user']> })
  const answer = Promise.resolve(Response.json({ success: true, course: 'early' }))
  window.earlyAnswers = { userId: 'm1', askedAt: Date.now(), byPath: new Map([['/courses', answer]]) }
}

it('an early answer is taken once', async () => {
  askedEarly()
  expect(await takeEarlyAnswer('/courses')).toMatchObject({ course: 'early' })
  expect(await takeEarlyAnswer('/courses')).toBeUndefined()
})

it('an early answer is dropped as soon as anything is known to be out of date', async () => {
  askedEarly()
  await queryClient.invalidateQueries({ queryKey: ['wallet'] })
  expect(await takeEarlyAnswer('/courses')).toBeUndefined()
})
