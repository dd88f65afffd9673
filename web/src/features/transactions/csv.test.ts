import { expect, it } from 'vitest'
import { quoteOf, transaction } from '@/testing/samples'
import { csvOf } from './csv'

it('writes amounts, units, rate, fee and hash, and nothing that a spreadsheet takes for a formula [D-M9] [R7]', () => {
  const description = '=HYPERLINK("https://evil.example","x")'
  const one = transaction({ description, amount: 1250, fee: 7.5, quote: quoteOf({}), txid: '+1', createdAt: '2026-03-05T14:07:00Z' })
  const [head, line, end] = csvOf([one]).split('\r\n')
  expect(head).toBe('date,reference,title,description,status,type,amount,fee,net amount,asset,units,rate,network,address,hash')
  expect(line).toBe(
    `2026-03-05T14:07:00Z,${one.reference},Deposit,"'=HYPERLINK(""https://evil.example"",""x"")",success,credit,1250.00,7.50,,BTC,0.00513809,97312.45,,,'+1`,
  )
  expect(end).toBe('')
})
