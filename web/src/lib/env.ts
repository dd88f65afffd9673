/** Settings of the build. */

/** Where the API lives; the same origin unless the build says otherwise. */
export const apiUrl = import.meta.env.VITE_API_URL ?? '/v1'

/** Public keys of the treasury, of which one must have signed every address of the platform. None: addresses are not verified. */
export const treasuryKeys: readonly string[] = (import.meta.env.VITE_TREASURY_KEYS ?? '').split(/[,\s]+/).filter(Boolean)
