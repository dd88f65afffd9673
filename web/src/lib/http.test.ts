import { http, HttpResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import { startSession } from '@/lib/session'
import { holds, member, records, refuses, server } from '@/testing/server'
import { NETWORK_ERROR } from './api-error'
import { send, sendForFile } from './http'

const plans = { method: 'GET', url: '/plans' } as const

const answersWith = (answer: () => Response) => server.use(http.get(`${window.location.origin}/v1/plans`, answer))

describe('a request', () => {
  it('carries the token and JSON, and returns what the server answers', async () => {
    startSession(member, 'stored-token')
    const { handler, seen } = records('post', '/trades', { id: 'trade-1' })
    server.use(handler)
    const answer = await send({ method: 'POST', url: '/trades', data: { amount: 50 }, headers: { 'Idempotency-Key': 'key-1' } })
    expect(answer).toMatchObject({ success: true, id: 'trade-1' })
    expect(seen[0]?.body).toEqual({ amount: 50 })
    expect(seen[0]?.headers.get('Authorization')).toBe('Bearer stored-token')
    expect(seen[0]?.headers.get('Idempotency-Key')).toBe('key-1')
  })

  it('fails with what the server says [MSG-01]', async () => {
    server.use(refuses('get', '/plans', 422, { message: 'Check the fields', code: 'INVALID', errors: { amount: 'Too much' } }))
    await expect(send(plans)).rejects.toMatchObject({
      name: 'ApiError', status: 422, code: 'INVALID', serverMessage: 'Check the fields', fields: { amount: 'Too much' },
    })
  })

  it('fails with success: false even with status 200 [MSG-02]', async () => {
    answersWith(() => HttpResponse.json({ success: false, message: 'Not today' }))
    await expect(send(plans)).rejects.toMatchObject({ status: 200, message: 'Not today' })
  })

  it('fails with an answer that is not JSON, whatever its status', async () => {
    answersWith(() => HttpResponse.text('<html>'))
    await expect(send(plans)).rejects.toMatchObject({ status: 200, message: 'An error occurred' })
    answersWith(() => HttpResponse.text('<html>', { status: 502 }))
    await expect(send(plans)).rejects.toMatchObject({ status: 502, message: 'Request failed with status code 502' })
  })

  it('fails as a lost connection when no answer arrives [MSG-01]', async () => {
    answersWith(() => HttpResponse.error())
    await expect(send(plans)).rejects.toMatchObject({ message: 'Network Error', status: undefined, code: NETWORK_ERROR })
  })

  it('that is aborted fails as no failure of the network', async () => {
    const { asked, handler } = holds('get', '/plans')
    server.use(handler)
    const leaving = new AbortController()
    const answer = send({ ...plans, signal: leaving.signal })
    await asked
    leaving.abort()
    await expect(answer).rejects.not.toMatchObject({ code: NETWORK_ERROR })
  })
})

describe('a request for a file', () => {
  it('returns the file', async () => {
    answersWith(() => HttpResponse.text('a,b'))
    expect(await (await sendForFile(plans)).text()).toBe('a,b')
  })

  it('fails with what the server says [MSG-01]', async () => {
    server.use(refuses('get', '/plans', 503, { message: 'No statement now', code: 'UNAVAILABLE' }))
    await expect(sendForFile(plans)).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE', message: 'No statement now' })
  })
})
