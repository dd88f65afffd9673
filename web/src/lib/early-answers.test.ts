import { expect, it } from 'vitest'
import { records, server } from '@/testing/server'
import { takeEarlyAnswer } from './early-answers'
import { send } from './http'
import { queryClient } from './query-client'
import { useSession } from './session'

/** What the page asked for before the app was there. */
function askedEarly(answer = Promise.resolve(Response.json({ success: true, course: 'early' }))) {
  useSession.setState({ user: { id: 'm1' } as NonNullable<ReturnType<typeof useSession.getState>['user']> })
  window.earlyAnswers = { userId: 'm1', askedAt: Date.now(), byPath: new Map([['/courses', answer]]) }
}

it('an early answer is taken once', async () => {
  askedEarly()
  const answer = (await takeEarlyAnswer('/courses')) as Response
  expect(await answer.json()).toMatchObject({ course: 'early' })
  expect(await takeEarlyAnswer('/courses')).toBeUndefined()
})

it('an early answer is dropped as soon as anything is known to be out of date', async () => {
  askedEarly()
  await queryClient.invalidateQueries({ queryKey: ['wallet'] })
  expect(await takeEarlyAnswer('/courses')).toBeUndefined()
})

it.each([
  ['an answer of 500', () => Promise.resolve(Response.json({ success: false, message: 'Down' }, { status: 500 }))],
  ['no answer', () => Promise.reject(new TypeError('lost'))],
])('%s is the first failure, not a reason to ask at once [API-25]', async (_, answer) => {
  const { seen, handler } = records('get', '/courses')
  server.use(handler)
  askedEarly(answer())
  await expect(send({ method: 'GET', url: '/courses' })).rejects.toMatchObject({ isTransient: true })
  expect(seen).toHaveLength(0)
})

it('an early refusal is asked for again: it may be about the proof of the key [D-A10]', async () => {
  const { seen, handler } = records('get', '/courses')
  server.use(handler)
  askedEarly(Promise.resolve(Response.json({ success: false, nonce: '1' }, { status: 401 })))
  expect(await send({ method: 'GET', url: '/courses' })).toMatchObject({ success: true })
  expect(seen).toHaveLength(1)
})
