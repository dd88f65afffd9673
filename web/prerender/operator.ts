/** Writes an operator into a page of the build, as the gateway does when it starts (`gateway/src/web/page.rs`). */
export function withOperator(page: string, operator: Record<string, string>): string {
  const marks = Object.entries(operator).concat([['operator', JSON.stringify(operator)]])
  return marks.reduce((text, [name, value]) => text.replaceAll(`{{${name}}}`, value), page)
}
