import { brand } from '@/content/brand'

/** The product's name, in one place. */
export { brand }

/** Public keys of the treasury, of which one must have signed every address of the platform. None: addresses are not verified. */
export const treasuryKeys: readonly string[] = brand.treasuryKeys.split(',').filter(Boolean)
