import { expect, it } from 'vitest'
import { exempt, questions } from './irreversible'

const contracts = import.meta.glob<{ paths: Record<string, object> }>('../../../gateway/openapi.json', { import: 'default', eager: true })
const [contract] = Object.values(contracts)

const calls = Object.entries(contract?.paths ?? {}).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/^\/v1/, '')}`),
)

/** What pays, posts or deletes. */
const isIrreversible = (call: string) =>
  call.startsWith('DELETE ') ||
  /^(POST|PUT) \/(transactions\/withdraw|trades\/(claim|create)|courses\/purchase|users\/close)/.test(call) ||
  /^POST \/admin\/(transactions\/\{id\}\/(approve|reject|paid|reverse)|payouts\/send|proposals\/\{id\}\/confirm|members\/\{id\}\/(adjustment|bonus|release|course)|ledger)/.test(call)

it('everything that pays, posts or deletes is asked about once, or says why not [D-R2]', () => {
  const known = [...Object.keys(questions), ...Object.keys(exempt)]
  expect(calls.filter(isIrreversible).filter((call) => !known.includes(call))).toEqual([])
  expect(known.filter((call) => !calls.includes(call))).toEqual([])
  expect(Object.keys(questions).filter((call) => call in exempt)).toEqual([])
})
