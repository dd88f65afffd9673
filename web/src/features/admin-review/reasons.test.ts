import { describe, expect, it } from 'vitest'
import { brand } from '@/content/brand'
import { transaction } from '@/testing/samples'
import { reasonsFor, rejectionMail } from './reasons'

// The services' own files, so that a change of theirs which the preview does not follow is noticed here.
const files = import.meta.glob<string>(
  [
    '../../../../services/mailer/templates/{layout,*_rejected/body}.txt.j2',
    '../../../../services/wallet/src/domain/reason.rs',
  ],
  { query: '?raw', import: 'default', eager: true },
)

function service(path: string) {
  const [, text] = Object.entries(files).find(([name]) => name.endsWith(`/services/${path}`)) ?? []
  if (text === undefined) throw new Error(`There is no services/${path}`)
  return text
}
const template = (path: string) => service(`mailer/templates/${path}.j2`)

const block = (mail: string, name: string) =>
  new RegExp(`\\{% block ${name} %\\}([^]*?)\\{% endblock %\\}`).exec(template(`${mail}/body.txt`))?.[1] ?? ''

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** As the mailer renders: the body inside its layout, every fact filled in. */
function render(mail: string, facts: Record<string, string>) {
  const body = block(mail, 'body')
  const text = template('layout.txt')
    .replace(/\{% block body %\}[^]*\{% endblock %\}/, () => body)
    .replace(/\{% [^%]* %\}/g, '')
    .replace(/\{\{ (\w+) \}\}/g, (_, name: string) => {
      const fact = facts[name]
      if (fact === undefined) throw new Error(`The mail has a fact that the preview does not know: ${name}`)
      return fact
    })
  return inOneLine(text)
}

const cases = [
  ['deposit', 'deposit_rejected'],
  ['course', 'course_payment_rejected'],
  ['fee', 'fee_rejected'],
  ['withdrawal', 'withdrawal_rejected'],
] as const

describe.each(cases)('the preview of the mail about a rejected %s', (kind, mail) => {
  it('says what the member reads, all of it and nothing else [D-E2] [D-R3]', () => {
    const rejected = transaction({ kind, amount: 1250.5 })
    for (const reason of reasonsFor(kind)) {
      const preview = rejectionMail(rejected, reason)
      const facts = {
        name: rejected.user.name,
        reason: reason.sentence,
        amount: '$1,250.50',
        reference: rejected.reference,
        brand: brand.name,
        support: brand.email,
        site: window.location.origin,
        transaction_id: rejected.id,
      }
      expect(preview?.subject).toBe(block(mail, 'subject'))
      expect(inOneLine(preview?.paragraphs.join(' ') ?? '')).toBe(render(mail, facts))
    }
  })
})

describe('the reasons', () => {
  it('are those of the wallet, in its words [D-R3]', () => {
    const source = service('wallet/src/domain/reason.rs').split('#[cfg(test)]')[0] ?? ''
    const known = [...source.matchAll(/"([A-Z_]+)"\) => \{?\s*"([^"]+)"/g)].map(([, code, sentence]) => `${code}: ${sentence}`)
    const shown = (['deposit', 'withdrawal'] as const).flatMap((kind) => reasonsFor(kind).map(({ code, sentence }) => `${code}: ${sentence}`))
    expect(shown.toSorted()).toEqual(known.toSorted())
  })
})
