import { describe, expect, it } from 'vitest'
import { worded } from '@/lib/error-words'
import { errorTexts } from './error-texts'

// The server's own files, so that neither says something else than the other.
const files = import.meta.glob<string>(
  ['../../../services/*/src/error.rs', '../../../services/chassis/src/**/*.rs', '../../../gateway/src/http/error.rs'],
  { query: '?raw', import: 'default', eager: true },
)
const said = Object.values(files).join('\n').replace(/\\\n\s*/g, '')

describe('the texts of errors by their codes', () => {
  it.each(Object.entries(errorTexts))('%s says what the server says [D-G3]', (_code, text) => {
    const uncapitalised = text.charAt(0).toLowerCase() + text.slice(1)
    expect([text, uncapitalised].some((one) => said.includes(`"${one}"`))).toBe(true)
  })

  it('stand in place of the server’s, also at the field that says the same [D-G3] [D-L7]', () => {
    const refusal = { success: false, code: 'INSUFFICIENT_BALANCE', message: 'Saldo', requestId: 'r' } as const
    const errors = { amount: 'Saldo', method: 'Other' }
    expect(worded({ ...refusal, errors })).toEqual({ ...refusal, message: 'Insufficient balance', errors: { amount: 'Insufficient balance', method: 'Other' } })
    expect(worded(refusal)).toEqual({ ...refusal, message: 'Insufficient balance' })
  })

  it('leave what the server alone can say [D-G3]', () => {
    const limited = { code: 'LIMIT_REACHED', message: 'You can withdraw $40.00 today' } as const
    expect(worded(limited)).toBe(limited)
    expect(worded({ message: 'No code' })).toEqual({ message: 'No code' })
  })
})
