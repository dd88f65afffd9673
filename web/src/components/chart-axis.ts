/** Ticks and labels of a chart's axes. */

/** Steps of 1, 2 and 5, from the smallest that a label can show. */
export const stepsFrom = (smallest: number): number[] =>
  Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((digit) => Number((digit * smallest * 10 ** power).toPrecision(3)))).flat()

/** The number of decimals that distinguishes two neighbouring ticks. */
export function decimalsOf(ticks: readonly number[]): number {
  const [first, second] = ticks
  if (first === undefined || second === undefined) return 0
  return Math.max(0, -Math.floor(Math.log10(second - first) + 1e-6))
}

/** Removes repeated labels, so that neighbouring ticks never show the same text. */
export const withoutRepeats = (labels: readonly string[]): string[] =>
  labels.map((label, index) => (label === labels[index - 1] ? '' : label))
