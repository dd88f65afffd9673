/** `English`, in its own language; nothing while the code is not one. */
export function languageName(code: string): string {
  try {
    const name = new Intl.DisplayNames([code], { type: 'language', fallback: 'none' }).of(code) ?? ''
    return name.charAt(0).toLocaleUpperCase(code) + name.slice(1)
  } catch {
    return ''
  }
}
