/** Who runs this product: settings of the gateway, which writes them into every page as the data block `operator`. */
type Brand = Record<
  | 'name'
  | 'company'
  | 'address'
  | 'email'
  | 'privacyEmail'
  /** The country whose law and courts the terms name. */
  | 'jurisdiction'
  /** The day of the last change of the terms and the privacy policy. */
  | 'termsDate'
  /** Public keys of the treasury, with commas between them. */
  | 'treasuryKeys',
  string
>

/** A prerendered page has marks such as `{{company}}`, which the gateway replaces. */
const marks = new Proxy({}, { get: (_, name) => `{{${String(name)}}}` }) as Brand

const read = () => JSON.parse(document.getElementById('operator')?.textContent ?? '{}') as Brand

export const brand = import.meta.env.SSR ? marks : read()
