const words = ['very low', 'low', 'medium-low', 'medium', 'medium-high', 'high', 'very high']

/** `2 of 7, low risk` */
export const riskInWords = (riskClass: number) => `${riskClass} of 7, ${words[riskClass - 1] ?? 'unknown'} risk`
