/**
 * Every marketing text, figure and link of the public pages. Nothing is computed from them, and every
 * default works without another network; an operator replaces them by their own.
 */
import creatorPortrait from './artwork/creator.svg'
import hooksArt from './artwork/gallery-hooks.svg'
import howToArt from './artwork/gallery-how-to.svg'
import problemArt from './artwork/gallery-problem.svg'
import testimonialArt from './artwork/gallery-testimonial.svg'
import unboxingArt from './artwork/gallery-unboxing.svg'
import voiceOverArt from './artwork/gallery-voice-over.svg'
import hooksPoster from './artwork/poster-hooks.svg'
import tourPoster from './artwork/poster-tour.svg'
import windowPoster from './artwork/poster-window.svg'
import { brand } from './brand'

/** The withdrawal that the landing page works out as an example, in dollars. */
export const withdrawalExample = { amount: 400, feePercent: 2.5 }

/** What the course costs and how it is described wherever it is shown. */
export const course = {
  title: 'The UGC Video Course',
  subtitle: 'From your first clip on a phone to paid work with brands.',
  price: '$87',
  listPrice: '$197',
  access: 'Lifetime access',
  students: 'over 10,300 students',
  cover: hooksArt,
}

/** The modules that are named first; the rest is counted. */
export const namedModules = ['Module 1: UGC 101', 'An affiliate program', 'Module 3: Portfolios and personal branding'] as const
export const moreModules = '4 more modules'

export const modules = [
  { label: 'Module 1', title: 'UGC 101', text: 'What brands buy, how to read a brief, and how to choose a niche you can keep up.' },
  { label: 'Module 2', title: 'An affiliate program', text: 'Commission as a second line of income: choosing offers, disclosing them, doing the sums.' },
  { label: 'Module 3', title: 'Portfolios and personal branding', text: 'Five samples in one weekend, a page that is read in a minute, a name people remember.' },
  { label: 'Module 4', title: 'Equipment and filming', text: 'Light, sound and framing with a phone and a window, and a shot list that saves the edit.' },
  { label: 'Module 5', title: 'Hooks and editing', text: 'Scripts built backwards from one promise, honest openings, versions a team can test.' },
  { label: 'Module 6', title: 'Pitching and pricing', text: 'Thirty brands that can say yes, a five-sentence message, and a price you can explain.' },
  { label: 'Module 7', title: 'Usage rights and growth', text: 'Licences and contracts in plain words, then packages, retainers and a week that repeats.' },
] as const

export const creator = {
  name: 'Solvane Studio',
  handle: '@solvane.studio',
  role: 'UGC creators and authors of the course',
  bio: 'We film short product videos at home, with a phone, a window and a shot list. The course is how we work, written down: no gear talk, no follower counts, no promises about income.',
  portrait: creatorPortrait,
  formats: ['Testimonials', 'How-tos', 'Voice-over B-roll', 'Hook tests'],
}

/** The offers beside the course. `download` marks a file, the others are addresses or pages. */
export const links = {
  checklist: {
    title: 'Free checklist',
    text: 'The first ten days of a UGC creator on one printable page.',
    action: 'Get the checklist',
    href: '/ugc-checklist.pdf',
    download: true,
  },
  training: {
    title: 'Free live training',
    text: 'Sixty minutes, one product, three openings. Bring your phone and your questions.',
    action: 'Register for the training',
    href: `mailto:${brand.email}?subject=${encodeURIComponent('Register me for the free live training')}`,
    download: false,
  },
  portfolio: {
    title: 'Portfolio',
    text: 'Six formats that brands order most, each with the idea behind it.',
    action: 'See the portfolio',
    href: '/ugc-course#gallery',
    download: false,
  },
} as const

export type Video = {
  title: string
  text: string
  length: string
  poster: string
} & ({ youtubeId: string } | { file: string })

/** A video is either a file of this site or a YouTube id; both load only after a click. */
export const videos: readonly Video[] = [
  { title: 'A tour of the seven modules', text: 'What you learn, in which order, and what you have made by the end.', length: '0:24', poster: tourPoster, file: '/videos/tour.webm' },
  { title: 'One clip, three openings', text: 'Why brands pay for versions, and how to plan them before you film.', length: '0:20', poster: hooksPoster, file: '/videos/hooks.webm' },
  { title: 'A set made of a window', text: 'Where to stand, where the phone goes, and what to switch off.', length: '0:20', poster: windowPoster, file: '/videos/window.webm' },
]

export const gallery = [
  { title: 'Testimonial', text: 'To camera, one honest change, product beside the face.', image: testimonialArt, alt: 'Illustration: a creator by a window shows a bottle to the camera, captions below.' },
  { title: 'Problem and solution', text: 'The annoyance first; the product enters by an action.', image: problemArt, alt: 'Illustration: a leaking lunch box above, a closed green one below.' },
  { title: 'Voice-over B-roll', text: 'Close shots, voice recorded apart. No face needed.', image: voiceOverArt, alt: 'Illustration: coffee runs through a filter into a glass, with a sound wave below.' },
  { title: 'How-to', text: 'Three steps, each visible. Made for product pages.', image: howToArt, alt: 'Illustration: a plant is potted and watered in three numbered steps.' },
  { title: 'Hook test', text: 'One body, three openings that join it without a jump.', image: hooksArt, alt: 'Illustration: three versions of a shoe video above an editing timeline.' },
  { title: 'Unboxing', text: 'The first opening, hands and sounds. Filmed once.', image: unboxingArt, alt: 'Illustration: two hands open a parcel from which a blue bottle rises.' },
] as const

/** What creators are quoted on the market. None of it is sold here; the figures are for comparison. */
export const priceTiers = [
  { title: 'Advanced course', figures: ['$500', '$560'], joined: '$500 or $560', text: 'A second course for people who finished a first one.' },
  { title: 'Resources', figures: ['$300'], joined: '$300', text: 'Templates, contracts and brief examples as a bundle.' },
  { title: 'Community', figures: ['$1,460'], joined: '$1,460', text: 'A paid membership with feedback and group calls.' },
  { title: 'Coaching', figures: ['$160'], joined: '$160 per hour or session', text: 'One person looks at your work with you.' },
  { title: 'Certificates', figures: ['$75-$200', '$250-$750'], joined: '$75-$200 and $250-$750', text: 'For short and for long programs. Brands rarely ask for one.' },
  { title: 'Installments', figures: ['$140 x 4', '$280 x 2', '$140 + $420 over 3'], joined: '$140 x 4 or $280 x 2 or $140 + $420 over 3', text: 'Usual ways to spread the $560 of an advanced course.' },
] as const

export const included = [
  'All seven modules, to read at your pace',
  'A task of under an hour at the end of each lesson',
  'Price sheet, licence text and pitch to copy',
  'Lifetime access: one payment, no subscription',
] as const

export const questions = [
  { question: 'Do I need followers?', answer: 'No. Brands buy a video file and publish it themselves. They ask for samples, and Module 3 makes those with you.' },
  { question: 'Which equipment do I need?', answer: 'A phone of the last five years, daylight and a quiet room. Module 4 shows how to use them. If you buy anything, buy a small microphone.' },
  { question: 'How long does it take?', answer: 'A lesson takes five or six minutes to read and ends with a task of 30 to 60 minutes, plus one weekend for the portfolio. No timetable, no end date.' },
  { question: 'Will I earn money with it?', answer: 'That depends on your work, your market and on luck, and we make no promise about income. The course teaches how to produce, offer and price videos; finding clients stays your job.' },
  { question: 'How do I pay?', answer: 'Once: $87, from your wallet balance at once, or by a cryptocurrency payment with proof of payment. We review the payment; until then the course shows “In review”. Then all modules open.' },
  { question: 'Can I look inside first?', answer: 'Yes. A free account opens the whole first lesson and the list of all others.' },
] as const
