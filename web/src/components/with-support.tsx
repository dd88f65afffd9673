import { SupportLink } from './support-link'

/** A sentence of the server, in which "contact support" leads to the address. */
export function WithSupport({ text }: { text: string }) {
  const [before, words, after] = text.split(/(contact support)/i)
  if (!words) return text
  return (
    <>
      <span>{before}</span>
      <SupportLink>{words}</SupportLink>
      <span>{after}</span>
    </>
  )
}
