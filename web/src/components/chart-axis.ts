/** The words of a chart's axes, apart from the drawing. */

/** Steps of 1, 2 and 5, from the smallest that a label can show. */
export const stepsFrom = (smallest: number): number[] =>
  Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((digit) => Number((digit * smallest * 10 ** power).toPrecision(3)))).flat()

/** As many decimals as keep two neighbouring ticks apart. */
export function decimalsOf(ticks: readonly number[]): number {
  const [first, second] = ticks
  if (first === undefined || second === undefined) return 0
  return Math.max(0, -Math.floor(Math.log10(second - first) + 1e-6))
}

/** Each label once: where the next tick would say the same, it says nothing. */
export const withoutRepeats = (labels: readonly string[]): string[] =>
  labels.map((label, index) => (label === labels[index - 1] ? '' : label))
