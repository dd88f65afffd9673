/** What the fields of a form take. Every field says in our words what is wrong with it: there is no other message. */
import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'

/** What is wrong with a text, or `undefined`. */
type Refusal = (text: string) => string | undefined

type Field<T> = { read: (value: unknown) => T; refuse: (value: T) => string | undefined }

/** A text, cleaned first; the first refusal counts. */
export const text = (clean: (text: string) => string, ...refusals: readonly Refusal[]): Field<string> => ({
  read: (value) => clean(typeof value === 'string' ? value : ''),
  refuse: (value) => refusals.map((refuses) => refuses(value)).find((found) => found !== undefined),
})

/** Something that was chosen, such as a picked file. */
export const chosen = <T>(isOne: (value: unknown) => value is T, message: string): Field<T> => ({
  read: (value) => value as T,
  refuse: (value) => (isOne(value) ? undefined : message),
})

export const trimmed = (text: string) => text.trim()

export const needed =
  (message: string): Refusal =>
  (text) =>
    text === '' ? message : undefined

export const from =
  (length: number, message: string): Refusal =>
  (text) =>
    text.length < length ? message : undefined

export const upTo =
  (length: number): Refusal =>
  (text) =>
    text.length > length ? `At most ${length} characters` : undefined

type Fields<Values> = { [Name in keyof Values]: Field<Values[Name]> }

/** Reads and checks the values of a form, as React Hook Form's `resolver` takes it. */
export function resolverOf<Values extends FieldValues>(fields: Fields<Values>): Resolver<Values> {
  const names = Object.keys(fields) as (keyof Values & string)[]
  return (typed) => {
    const values = Object.fromEntries(names.map((name) => [name, fields[name].read(typed[name])])) as Values
    const refused = names.flatMap((name) => {
      const message = fields[name].refuse(values[name])
      return message === undefined ? [] : [[name, { type: 'refused', message }] as const]
    })
    if (refused.length === 0) return { values, errors: {} }
    return { values: {}, errors: Object.fromEntries(refused) as FieldErrors<Values> }
  }
}
