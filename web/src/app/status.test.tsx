import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { formatZoned } from '@/lib/dates'
import { openApp } from '@/testing/render'
import { answers, refuses, server } from '@/testing/server'

const at = '2026-03-05T14:07:00Z'
const line = async (name: string) => within((await screen.findByText(name)).closest('li') as HTMLElement)

describe('the status', () => {
  it('says to visitors that withdrawals are open, and how recent the view of each chain is [D-M7]', async () => {
    server.use(answers('get', '/status', { withdrawals: { open: true }, chains: [{ chain: 'bitcoin', fresh: true, observedAt: at }, { chain: 'tron', fresh: false, observedAt: at }] }))
    openApp('/status')
    expect(await screen.findByRole('heading', { name: 'Status', level: 1 })).toBeVisible()
    expect((await line('Withdrawals')).getByText('Open')).toBeVisible()
    expect((await line('Payments on Bitcoin')).getByText('Seen within a minute')).toBeVisible()
    expect((await line('Payments on Tron')).getByText(new RegExp(`last looked at the chain on ${formatZoned(at).replace('+', '\\+')}`))).toBeVisible()
  })

  it('shows what staff announce [D-M7]', async () => {
    const announcements = [{ id: 'a-1', text: 'We move to new servers tonight.', at, endsAt: at }]
    server.use(answers('get', '/status', { withdrawals: { open: true }, chains: [], announcements }))
    openApp('/status')
    const shown = await line('We move to new servers tonight.')
    expect(shown.getByText(formatZoned(at))).toBeVisible()
  })

  it('gives the reason of a pause and since when [D-M7]', async () => {
    const reason = 'Withdrawals are paused while we check our books. Your balance is safe; please try again later.'
    server.use(answers('get', '/status', { withdrawals: { open: false, reason, since: at }, chains: [] }))
    openApp('/status')
    expect((await line('Withdrawals')).getByText(`${reason} Since ${formatZoned(at)}.`)).toBeVisible()
  })

  it('says what is not known, and that it could not be loaded [D-M7] [D-L5]', async () => {
    server.use(answers('get', '/status', { withdrawals: null, chains: null }))
    const { unmount } = openApp('/status')
    expect((await line('Withdrawals')).getByText('Unknown')).toBeVisible()
    expect((await line('Payments on chains')).getByText('Unknown')).toBeVisible()
    unmount()
  })

  it('can be asked again when it could not be loaded [D-L5]', async () => {
    server.use(refuses('get', '/status', 403, { message: 'Not now' }))
    const { user } = openApp('/status')
    await screen.findByText('Not now')
    server.use(answers('get', '/status', { withdrawals: { open: true }, chains: [] }))
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    expect(await screen.findByText('Open')).toBeVisible()
  })
})
