/** From one value to another in percent, rounded to two decimals; for the eye only, nothing is computed from it. */
export const changeInPercent = (from: number, to: number) => Math.round(((to - from) * 10_000) / from) / 100
