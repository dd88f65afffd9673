import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it } from 'vitest'
import { brand } from '@/content/brand'
import { openApp } from '@/testing/render'
import { answers, refuses, server } from '@/testing/server'
import { VideoCard } from './pages/ugc-course/videos'

// The pages' code is loaded before the clock of the first test runs.
beforeAll(async () => {
  await Promise.all([
    import('./pages/landing-page'),
    import('./pages/terms-page'),
    import('./pages/privacy-page'),
    import('./pages/not-found-page'),
    import('./pages/solvency-page'),
    import('./pages/ugc-course-page'),
  ])
}, 60_000)

const heading = (name: string | RegExp) => screen.findByRole('heading', { level: 1, name })

describe('the landing page', () => {
  it('shows a creator profile, the course card and the ways in [PUB-01]', async () => {
    openApp('/')
    await heading(/Film it/)
    expect(screen.getByRole('article', { name: 'Creator profile' })).toBeVisible()

    const card = within(screen.getByRole('article', { name: 'Course' }))
    expect(card.getByText('$87')).toBeVisible()
    expect(card.getByText('$197').closest('s')).not.toBeNull()
    expect(card.getByText('Lifetime access')).toBeVisible()
    expect(card.getByRole('link', { name: 'See the course' })).toHaveAttribute('href', '/ugc-course')

    const main = within(screen.getByRole('main'))
    expect(main.getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/register')
    expect(main.getByRole('link', { name: 'Log in' })).toHaveAttribute('href', '/login')
  })

  it('links to the free checklist, the live training and the portfolio without another network [PUB-01] [D-G7]', async () => {
    openApp('/')
    await heading(/Film it/)
    expect(screen.getByRole('link', { name: /Free checklist/ })).toHaveAttribute('href', '/ugc-checklist.pdf')
    expect(screen.getByRole('link', { name: /Free live training.*Register/ }).getAttribute('href')).toContain(`mailto:${brand.email}`)
    expect(screen.getByRole('link', { name: /Portfolio/ })).toHaveAttribute('href', '/ugc-course#gallery')
    for (const link of screen.getAllByRole('link')) expect(link.getAttribute('href')).toMatch(/^(\/|#|mailto:)/)
  })

  it('promises no return [D-I2]', async () => {
    openApp('/')
    await heading(/Film it/)
    expect(screen.getAllByText(/target, not guaranteed/).length).toBeGreaterThan(0)
  })
})

describe('the course in words', () => {
  const modules = ['Module 1: UGC 101', 'An affiliate program', 'Module 3: Portfolios and personal branding', '4 more modules']

  it('names students and modules on the landing page [PUB-03]', async () => {
    openApp('/')
    const card = within(await screen.findByRole('article', { name: 'Course' }))
    expect(card.getByText(/over 10,300 students/)).toHaveClass('first-letter:uppercase')
    expect(within(card.getByRole('list', { name: 'Modules' })).getAllByRole('listitem').map((item) => item.textContent)).toEqual(modules)
  })

  it('names students and all modules on the sales page [PUB-03]', async () => {
    openApp('/ugc-course')
    await heading(/Brands buy the video/)
    expect(screen.getAllByText(/over 10,300 students/).length).toBeGreaterThan(0)
    for (const name of ['UGC 101', 'An affiliate program', 'Portfolios and personal branding', 'And 4 more']) {
      expect(screen.getByRole('heading', { level: 3, name })).toBeVisible()
    }
  })

  it('shows every figure of the market, and that none is charged here [PUB-02] [PUB-04]', async () => {
    openApp('/ugc-course')
    const prices = within(await screen.findByRole('region', { name: 'One price, compared with the market' }))
    const figures = {
      'Advanced course': '$500 or $560',
      Resources: '$300',
      Community: '$1,460',
      Coaching: '$160 per hour or session',
      Certificates: '$75-$200 and $250-$750',
      Installments: '$140 x 4 or $280 x 2 or $140 + $420 over 3',
    }
    for (const [title, text] of Object.entries(figures)) {
      expect(prices.getByText(title).closest('div')).toHaveTextContent(text)
    }
    expect(prices.getByText(/we do not sell or charge any of them/)).toBeVisible()
    expect(prices.getByRole('link', { name: 'Get lifetime access' })).toHaveAttribute('href', '/courses')
  })
})

describe('the sales page', () => {
  it('loads a video only after a click [PUB-02] [D-G7]', async () => {
    const { user, container } = openApp('/ugc-course')
    await heading(/Brands buy the video/)
    expect(container.querySelector('video, iframe')).toBeNull()
    await user.click(screen.getByRole('button', { name: /^Play: One clip, three openings/ }))
    expect(container.querySelectorAll('video')).toHaveLength(1)
    expect(container.querySelector('video')).toHaveAttribute('src', '/videos/hooks.webm')
  })

  it('asks YouTube for nothing before the click, and its cookie-less address after it [PUB-02]', async () => {
    const video = { title: 'A talk', text: 'Words', length: '1:00', poster: '/poster.svg', youtubeId: 'abc_123' }
    const { container } = render(<VideoCard video={video} />)
    expect(container.innerHTML).not.toContain('youtube-nocookie')
    await userEvent.click(screen.getByRole('button', { name: /^Play: A talk/ }))
    expect(screen.getByTitle('A talk').getAttribute('src')).toMatch(/^https:\/\/www\.youtube-nocookie\.com\/embed\/abc_123\?/)
  })

  it('has the pictures of the gallery before they are scrolled to [PUB-02]', async () => {
    const { container } = openApp('/ugc-course')
    await heading(/Brands buy the video/)
    const pictures = [...container.querySelectorAll('#gallery img')]
    expect(pictures).toHaveLength(6)
    for (const picture of pictures) expect(picture).not.toHaveAttribute('loading')
  })

  it('opens the gallery in a viewer that the arrow keys turn over [PUB-02]', async () => {
    const { user } = openApp('/ugc-course')
    await user.click(await screen.findByRole('button', { name: /Testimonial/ }))
    const viewer = within(screen.getByRole('dialog', { name: 'Picture viewer' }))
    expect(viewer.getByText('Testimonial')).toBeVisible()
    viewer.getByRole('button', { name: 'Next picture' }).focus()
    await user.keyboard('{ArrowRight}')
    expect(viewer.getByText('Problem and solution')).toBeVisible()
    await user.keyboard('{ArrowLeft}{ArrowLeft}')
    expect(viewer.getByText('Unboxing')).toBeVisible()
    await user.click(viewer.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByText('The first opening, hands and sounds. Filmed once.')).toBeNull())
  })
})

describe('the other public pages', () => {
  it.each([
    ['/terms', 'Terms of Service', /deducted from the payout/],
    ['/privacy', 'Privacy Policy', /We do not sell data/],
    ['/no/such/page', 'Page not found', /may have moved/],
  ])('%s renders a page [PUB-05]', async (path, title, sentence) => {
    openApp(path)
    expect(await heading(title)).toBeVisible()
    expect(screen.getByText(sentence)).toBeVisible()
  })
})

describe('what is owed and held', () => {
  const at = '2026-11-27T00:05:00.000Z'
  const held = {
    total: 190, assets: 30, stated: 0, observed: true,
    chains: [{ chain: 'tron', asset: 'USDT', units: '160000000', decimals: 6, rate: 1, rateAt: at, value: 160 }],
    addresses: [{ currency: 'USDT', network: 'TRC20', address: 'TPLATFORM', memo: '', version: 1, signature: null, proof: null }],
    documents: [{ name: 'Bonds', plan: 'Starter', proof: 'Contract note 17', issuer: 'Broker', provenAt: at, value: 30 }],
  }
  const solvency = (sum: number, nights: object[] = []) => ({
    at, owed: { total: 190, gains: 50, root: 'ab'.repeat(32), leaves: 3 }, held: { ...held, total: sum }, ratio: (sum / 190) * 100,
    nights: [{ at, root: 'ab'.repeat(32), owed: 190, held: sum, ratio: 100 }, ...nights],
  })

  it('is said to everybody in a sentence, with what proves it and every night [D-T5]', async () => {
    server.use(answers('get', '/solvency', solvency(190, [{ at: '2026-11-26T00:05:00.000Z', root: '', owed: 140, held: null, ratio: null }])))
    openApp('/solvency')
    expect(await heading('What we owe and what we hold')).toBeVisible()
    expect(await screen.findByText('All that members are owed is held.')).toBeVisible()
    expect(screen.getByText('Of that, gains not taken yet').nextSibling).toHaveTextContent('$50.00')
    expect(screen.getByText('160 USDT at $1.00')).toBeVisible()
    expect(screen.getByText('Bonds of Starter')).toBeVisible()
    expect(screen.getByText('Not signed by the treasury key')).toBeVisible()
    expect(within(screen.getByRole('table')).getAllByRole('row')).toHaveLength(3)
    expect(screen.getByRole('link', { name: 'Log in to verify' })).toHaveAttribute('href', '/login')
  })

  it('says what the books say where a chain was not read, so that the parts make the whole [D-T5]', async () => {
    const [tron] = held.chains
    const night = { ...held, total: 1190.5, stated: 1000, observed: false, chains: [tron, { ...tron, chain: 'bitcoin', asset: 'BTC', units: null, rate: null, value: null }] }
    server.use(answers('get', '/solvency', { ...solvency(190), held: night }))
    openApp('/solvency')
    expect(await screen.findByText('All that members are owed is held, and $1,000.50 more.')).toBeVisible()
    expect(screen.getByText('On chains').nextSibling).toHaveTextContent('$160.50')
    expect(screen.getByText('According to our books. Not read or not priced this time: BTC on Bitcoin.')).toBeVisible()
  })

  it('says since when an address is proven, with what anybody needs to verify it [D-T5]', async () => {
    const proof = (day: string) => ({ message: `Solvane Ltd controls the address TPLATFORM on ${day}`, signature: '0xfde0', day })
    const published = (day: string) => {
      const [address] = held.addresses
      return { ...solvency(190), held: { ...held, addresses: [{ ...address, proof: proof(day) }] } }
    }
    server.use(answers('get', '/solvency', published('2026-11-20')))
    const { user, unmount } = openApp('/solvency')
    expect(await screen.findByText('The operator proved on Nov 20, 2026 that it controls this address.')).toBeVisible()
    await user.click(screen.getByText('Verify it yourself'))
    expect(screen.getByText(/^Solvane Ltd controls the address TPLATFORM on/)).toBeVisible()
    expect(screen.getByText('0xfde0')).toBeVisible()
    unmount()
    server.use(answers('get', '/solvency', published('2024-02-29')))
    const old = openApp('/solvency')
    expect(await screen.findByText('The operator proved on Feb 29, 2024 that it controls this address. That was more than a year ago.')).toBeVisible()
    old.unmount()
    server.use(answers('get', '/solvency', solvency(190)))
    openApp('/solvency')
    expect(await screen.findByText('The operator has not proved yet that it controls this address.')).toBeVisible()
  })

  it('does not say that all is well while one cent is missing [D-T4] [D-T5]', async () => {
    server.use(answers('get', '/solvency', solvency(189.99)))
    openApp('/solvency')
    expect(await screen.findByText('$0.01 is missing for what members are owed.')).toBeVisible()
    expect(screen.queryByText(/All that members are owed/)).toBeNull()
  })
})

describe('a certificate', () => {
  it.each([
    [false, 'This certificate is valid.'],
    [true, 'This certificate is no longer valid: the purchase of the course was refunded.'],
  ])('says whether it still counts [D-C8] [D-R18]', async (ended, sentence) => {
    server.use(answers('get', '/certificates/:number', { certificate: { name: 'Amara', course: 'The UGC Video Course', issuedAt: '2026-11-23T12:00:00.000Z', ended } }))
    openApp('/certificates/abc')
    expect(await screen.findByText(sentence)).toBeVisible()
    expect(screen.getByText('Amara')).toBeVisible()
    expect(screen.getByText('Completed').nextSibling).toHaveTextContent('The UGC Video Course')
    expect(screen.getAllByText(/This certificate is/)).toHaveLength(1)
    expect(screen.getByText('Certificate number').nextSibling).toHaveTextContent('abc')
    expect(screen.getByRole('link', { name: 'Download PDF' })).toHaveAttribute('href', expect.stringMatching(/\/certificates\/abc\.pdf$/))
    expect(screen.getByRole('button', { name: 'Copy link' })).toBeVisible()
  })
})

describe('the check of a document', () => {
  const content = new TextEncoder().encode('%PDF-1.7')
  const hash = async () => [...new Uint8Array(await crypto.subtle.digest('SHA-256', content))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

  it('says kind and day of a number, and whether a file is the one that was issued [D-M9]', async () => {
    server.use(answers('get', '/documents/:number', { document: { kind: 'year_report', issuedOn: '2026-11-23', sha256: await hash() } }))
    const { user } = openApp('/check')
    await user.type(await screen.findByLabelText('Document number'), 'SD-0A1B-2C3D-4E5F-6G7H')
    await user.click(screen.getByRole('button', { name: 'Check' }))
    expect(await screen.findByText('We issued a document with this number.')).toBeVisible()
    expect(screen.getByText('Year report')).toBeVisible()
    expect(screen.getByText('November 23, 2026 UTC')).toBeVisible()
    const pick = screen.getByLabelText('Choose the PDF')
    const bytesOf = async (parts: BlobPart[]) => await new Response(parts.map((part) => (typeof part === 'string' ? part : new TextDecoder().decode(part as Uint8Array))).join('')).arrayBuffer()
    // Files of jsdom cannot be read as bytes.
    const file = (...parts: BlobPart[]) =>
      Object.assign(new File(parts, 'a.pdf', { type: 'application/pdf' }), { arrayBuffer: () => bytesOf(parts) })
    await user.upload(pick, file(content))
    expect(await screen.findByText('The file is the one we issued')).toBeVisible()
    await user.upload(pick, file(content, 'x'))
    expect(await screen.findByText('The file is not the one we issued')).toBeVisible()
  })

  it('says that a forged number is none of ours [D-M9]', async () => {
    server.use(refuses('get', '/documents/:number', 404, { message: 'Not found' }))
    openApp('/check?number=SD-0000-0000-0000-0000')
    expect(await screen.findByText('We issued no such document')).toBeVisible()
    expect(screen.getByLabelText('Document number')).toHaveValue('SD-0000-0000-0000-0000')
  })
})
