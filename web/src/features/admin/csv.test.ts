import { expect, it } from 'vitest'
import { csvOf } from './csv'

it('is a line a row, quoted where it must be, and inert in a spreadsheet [D-O3]', async () => {
  const rows = [{ name: '=1+1', note: 'a, "b"', amount: -2.5 }]
  const file = csvOf({ name: ({ name }) => name, note: ({ note }) => note, amount: ({ amount }) => amount, none: () => undefined }, rows)
  // A spreadsheet that is opened by a double click knows by the mark that accents are in UTF-8 [F21].
  const lines = `name,note,amount,none\r\n'=1+1,"a, ""b""",-2.5,\r\n`
  expect(file.size).toBe(lines.length + 3)
  expect((await file.text()).replace('\ufeff', '')).toBe(lines)
})
