/** Carries what has been entered into fields over to a page that is drawn again. */

type Typed = { name: string; value: string }[]

const controls = (root: Element) => [...root.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input[name], select[name]')]

/** What has been entered, by the names of the fields. */
export const typedIn = (root: Element): Typed => controls(root).map(({ name, value }) => ({ name, value })).filter(({ value }) => value !== '')

/** Enters it again, as a person would, so that React notices. */
export function typeIn(root: Element, typed: Typed) {
  for (const control of controls(root)) {
    const { value } = typed.find(({ name }) => name === control.name) ?? {}
    if (value === undefined || control.value !== '') continue
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control) as object, 'value')?.set?.call(control, value)
    control.dispatchEvent(new Event(control instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
  }
}
