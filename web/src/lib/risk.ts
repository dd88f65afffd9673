const words = ['very low', 'low', 'medium-low', 'medium', 'medium-high', 'high', 'very high']

export const riskWord = (riskClass: number) => words[riskClass - 1] ?? 'unknown'

/** `2 of 7, low risk` */
export const riskInWords = (riskClass: number) => `${riskClass} of 7, ${riskWord(riskClass)} risk`
