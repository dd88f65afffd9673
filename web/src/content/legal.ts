/** The texts of the terms and the privacy policy as data; the operator's own particulars come from `brand`. */
import { brand } from './brand'

/** A paragraph, or a list of points. */
export type Passage = string | readonly string[]
export type Clause = { id: string; title: string; passages: readonly Passage[] }
export type LegalText = { title: string; summary: string; clauses: readonly Clause[] }

const { name, company, address, email, privacyEmail, jurisdiction } = brand

export const terms: LegalText = {
  title: 'Terms of Service',
  summary: `The agreement between you and ${company} when you use ${name}. It is written to be read; where a rule costs you money, it says how much.`,
  clauses: [
    {
      id: 'who-we-are',
      title: 'Who we are',
      passages: [
        `${name} is run by ${company}, ${address} (“we”). You reach us at ${email}.`,
        `${name} offers a wallet kept in US dollars, investment plans, and a course on making video content for brands. We are not a bank, and balances are not covered by a deposit guarantee scheme.`,
      ],
    },
    {
      id: 'account',
      title: 'Your account',
      passages: [
        'You may open an account if you are at least 18 years old, act for yourself, and are allowed to use services of this kind where you live. One person has one account.',
        'Your details must be true and kept up to date. You confirm your e-mail address with a code before you can use the wallet.',
        'Keep your password to yourself. We never ask for it, for a verification code, or for a payment in order to “release” your money. If you suspect that somebody else has access, change the password and end the other sessions on your profile, then tell us.',
      ],
    },
    {
      id: 'deposits',
      title: 'Deposits',
      passages: [
        'Balances are kept in dollars; deposits are settled in cryptocurrency. You choose a payment method, pay to the address shown, and upload a proof of payment.',
        [
          'The minimum and maximum of a deposit are shown on the deposit page. A payment for the course is exactly its price.',
          'A deposit is pending until a member of our staff has checked it. Until then it does not count towards your balance. A time shown on the screen is an estimate.',
          'We credit the amount that arrived. If it differs from the amount you stated, the transaction shows both.',
          'If we cannot confirm a payment, we reject the deposit and tell you why by e-mail. Send us the missing proof and we look at it again.',
          'A cryptocurrency payment cannot be reversed. A payment to a wrong address or over a wrong network may be lost, and we cannot promise to recover it.',
        ],
        'You may only pay with money that is lawfully yours. We may ask where it comes from, and must refuse or report payments where the law requires it.',
      ],
    },
    {
      id: 'withdrawals',
      title: 'Withdrawals and fees',
      passages: [
        [
          'The minimum and maximum of a withdrawal, and what your withdrawals may come to within a day and a month, are shown on the withdrawal page. Once in 30 days you can withdraw your whole balance although it is less than the minimum. You can have one open withdrawal at a time.',
          'The processing fee is a percentage of the amount, shown on the withdrawal page and rounded to the cent. Amount, fee and what you receive are shown before you confirm.',
          'The fee is deducted from the payout. Paying it separately is your choice and never a condition for receiving your money.',
          'The amount is set aside at once. Our staff checks each withdrawal; large ones are checked by two people. A submitted withdrawal cannot be cancelled by you. If we reject it, the whole amount returns to your balance.',
          'You are responsible for the address. We check its form where the network allows it, not who owns it.',
        ],
        'Processing usually takes from moments to 15 minutes within business hours, 9 AM to 6 PM UTC, and longer when we have to look closer.',
      ],
    },
    {
      id: 'investments',
      title: 'Investment plans',
      passages: [
        'Investing puts your money at risk. You can get back less than you put in, and in the worst case nothing. Invest only what you can do without for the whole duration.',
        'The return shown for a plan is a target over its duration. It is not guaranteed, not a forecast, and no promise. Past values say nothing certain about later ones.',
        [
          'Each plan has published values with date and source. Your current value is your amount multiplied by the plan’s value now and divided by its value when you opened, rounded down to the cent. The rule is the same for every member.',
          'If the current value is above your amount, you may claim: amount and gain are paid into your balance and the trade ends.',
          'If it is not, you may close: the current value is paid into your balance, the loss is yours, and the trade ends.',
          'At the end of the duration the value is fixed at the last value in force.',
        ],
        'Nothing on this site is personal investment advice. If you are unsure, ask an independent adviser.',
      ],
    },
    {
      id: 'bonus',
      title: 'Bonuses',
      passages: [
        'A bonus is a promotional balance of its own. It can neither be spent nor withdrawn until we release it into your balance.',
      ],
    },
    {
      id: 'course',
      title: 'The course',
      passages: [
        'The course is paid for once, at the price shown when you buy it. You pay from your balance, or by a payment that our staff confirms; then all modules open and stay open to your account without further payment.',
        'If we refund the course, its price is added to your balance and the modules close again.',
        'It is for your own learning. You may use templates and checklists in your work; you may not resell, republish or share the lessons.',
        'The course teaches a craft. We do not promise income, clients or results. Prices of other offers on our pages are for comparison.',
        'Consumers may have a right to withdraw from a purchase of digital content. It can end once you have asked us to open the lessons at once. To use it, write to us.',
      ],
    },
    {
      id: 'limits',
      title: 'What we may do, and must not',
      passages: [
        'We may freeze an account when we suspect fraud, unlawful use, or access by somebody else, or when a court or authority orders it. You can still read your data, we tell you the reason unless the law forbids it, and we lift the freeze when the reason is gone.',
        'We may pause withdrawals for everybody while our books do not agree. We say so on the site.',
        'You may not use the service to launder money, evade sanctions, deceive others, attack the service, or open accounts for others.',
      ],
    },
    {
      id: 'liability',
      title: 'Liability',
      passages: [
        'We are liable without limit for intent and gross negligence, for injury to life and health, and wherever the law allows no limit. Otherwise we are liable for breaches of our essential duties, up to the damage that was foreseeable.',
        'We are not liable for price movements, for faults of networks we do not run, or for payments to an address you entered wrongly.',
      ],
    },
    {
      id: 'ending',
      title: 'Ending the agreement',
      passages: [
        'You may close your account at any time once trades and reviews are finished. It closes 24 hours after you ask for it, and until then you can keep it. Withdraw your balance first; once in 30 days all of it can be withdrawn although it is less than the minimum, and the closing waits until that payout is sent. A bonus that we did not release is given up with the account if you say so.',
        'We may end the agreement with 30 days’ notice, or at once for a serious breach. Either way your own money stays yours.',
      ],
    },
    {
      id: 'changes',
      title: 'Changes, law and complaints',
      passages: [
        'We announce changes to these terms by e-mail at least 30 days ahead. If you disagree, you may close your account before they apply.',
        `These terms are subject to the law of ${jurisdiction}; rights that protect you as a consumer where you live remain.`,
        `Open a case in your account, or write to ${email}, if something went wrong. Give the reference of the transaction (TNX-…). A complaint is entered in our register and settled within ten working days.`,
      ],
    },
  ],
}

export const privacy: LegalText = {
  title: 'Privacy Policy',
  summary: 'Which data we keep, why, for how long, and what you can ask of us.',
  clauses: [
    {
      id: 'controller',
      title: 'Who is responsible',
      passages: [`${company}, ${address}. For questions about your data write to ${privacyEmail}.`],
    },
    {
      id: 'data',
      title: 'What we keep and why',
      passages: [
        [
          'Account: name, e-mail, phone, country, photo if you upload one. To run your account under our agreement with you.',
          'Password: only a hash from which it cannot be read back.',
          'Transactions: amounts, methods, addresses, transaction hashes, receipts, decisions and their reasons. To keep your balance, and because bookkeeping and money-laundering law obliges us to.',
          'Sessions: kind of device, shortened network address, times. To let you see and end sessions, and to notice strangers. This is our legitimate interest, and yours.',
          'Messages: the mails we sent you about your account. If you turn on notices on a device: where its browser receives them, encrypted. With your consent, which turning them off takes back.',
          'Course: whether you bought it, and how far you have come in each lesson. If you ask for a certificate, anyone who has its address sees your name, the course and the date.',
        ],
        'We do not sell data, show advertising, build advertising profiles, or decide about you by machine alone. Deposits and withdrawals are decided by people.',
      ],
    },
    {
      id: 'browser',
      title: 'What is stored in your browser',
      passages: [
        'We set no cookies for tracking and load nothing from other sites. Your browser’s local storage keeps your session (“auth”) and the appearance you chose (“theme”). A form you have begun is kept until you close the tab. If you turn on notices on this device, it also keeps whose they are (“push”). All of it is needed for what you asked for; logging out removes the session and the notices.',
        'If a video on our pages comes from YouTube, it is loaded from its cookie-less address only after you press play. Google then receives your network address.',
      ],
    },
    {
      id: 'recipients',
      title: 'Who receives data',
      passages: [
        'Companies that run servers and deliver mail for us, under contracts that bind them to our instructions; authorities and courts where the law requires it; advisers such as auditors, as far as needed.',
        'If you turn on notices on a device, the maker of its browser delivers them, such as Apple, Google, Microsoft or Mozilla. It learns when we send one to the device, and not what it says.',
        'Payments in cryptocurrency are recorded on public networks. Addresses and amounts there are visible to everybody and cannot be deleted by anybody.',
        'If data leave the European Economic Area, we rely on an adequacy decision or on standard contractual clauses.',
      ],
    },
    {
      id: 'duration',
      title: 'How long we keep it',
      passages: [
        [
          'Account data: as long as you have an account. After you close it, your photo, passkeys and authenticator are deleted at once, your e-mail address can be used again after 30 days, and the rest is deleted after five years.',
          'Receipts: five years after we decided about the payment.',
          'Transactions and the audit record: for good, because our books must not have gaps. After your account data is deleted they carry a number instead of your name.',
          'The mails we sent you: 90 days. Notices in the app: 180 days. Where a device receives notices: until you turn them off there, or your session there is ended, at most 30 days after your last visit.',
          'Sessions: seven days at most; records of logins and changes up to 13 months.',
          'Verification codes: ten minutes. Reset links: thirty minutes.',
        ],
      ],
    },
    {
      id: 'security',
      title: 'How we protect it',
      passages: [
        'Encrypted transport, hashed passwords, receipt links that expire after 15 minutes, separate databases for separate tasks, staff rights by role, and a record of each staff decision that cannot be changed afterwards.',
        'If a breach puts you at risk, we tell you and the authority without delay.',
      ],
    },
    {
      id: 'rights',
      title: 'Your rights',
      passages: [
        [
          'See the data we hold about you and receive a copy in a common format: “Download your data” on your profile. Notes of our staff and records that name others we give on request, as far as the law allows.',
          'Have wrong data corrected. Most of it you can change on your profile.',
          'Have data deleted or restricted, as far as we are not obliged to keep it.',
          'Object to processing that rests on our legitimate interest.',
          'Complain to the data protection authority where you live or where we are seated.',
        ],
        `Write to ${privacyEmail} from the address of your account. We answer within a month.`,
      ],
    },
    {
      id: 'changes',
      title: 'Changes',
      passages: ['We change this page when the product changes and announce important changes by e-mail. The date above tells the version.'],
    },
  ],
}
